"""Networks of PyTorch (``c4core.extras.LEARN``): how they play, and their training.

Only modules of this package import PyTorch. Others import them when a network plays or is trained.
"""
