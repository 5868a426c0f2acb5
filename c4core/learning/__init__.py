"""Models that play: networks, the file that keeps one, and how it is asked for columns.

Needs PyTorch and safetensors (``c4core.extras.LEARN``); only what plays or trains imports them.
"""
