"""Models that play: the networks, their files, and how they choose columns.

This package needs PyTorch and safetensors (``c4core.extras.LEARN``). Other packages import it only
when a model plays or is trained.
"""
