"""The work on any job, independent of its kind.

``kinds`` has the table of all kinds. ``submit`` creates jobs or finds existing ones; ``costs``
predicts search times. ``worker`` is the loop that claims units; ``run`` solves and completes one of
them, ``leases`` keeps its claim alive, and ``searching`` interrupts it. ``follow`` shows a job from
outside: its state, its progress, its results.
"""
