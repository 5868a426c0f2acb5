"""PyTorch networks that play, and their training (``c4core.extras.LEARN`` lists the packages).

In ``c4core.models``, only the modules of this package import PyTorch. Other modules import them
when a network plays or is trained.
"""
