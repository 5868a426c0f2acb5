"""Training of the models that play, and their measures.

``loop`` trains any ``Course`` with checkpoints: ``tuple_course``, or the ``network_course`` of
PyTorch's networks: ``exact_course``, ``residual_course``, ``final_course`` with ``grids``, and
``selfplay`` with ``side_by_side``. ``labels`` reads positions with exact labels, and
``joining`` joins data sets and keeps them apart from those of a test. ``quality`` has
the measures for all players, and ``asking`` asks a player for its columns; ``report`` and
``curves`` are for trainings.
"""
