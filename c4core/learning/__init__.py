"""Models that play: the networks, their files, and how they choose columns.

``modelfile`` reads and writes models, in the format of ``tensorfile``; ``engines`` makes engines of
:mod:`c4core.inference` from them, which need no PyTorch. The rest is for networks of PyTorch
(``c4core.extras.LEARN``): ``cnn``, ``exact``, ``columns`` and ``residual`` with ``trunk``, their
input (``encoding``), ``networks``, which makes them, and ``playing``. ``errors`` is for all. Other
packages import what needs PyTorch only when a model plays or is trained.
"""
