"""The trunk of the networks for columns: convolutions over the whole board.

Every layer keeps the board's size; the zeros of the padding show the network where the board ends.
The first layer's kernel is as long as a line of four.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from torch import nn

if TYPE_CHECKING:
    from c4core.notation import BoardSize

PLANES: Final = 2
FIRST_KERNEL: Final = 4


def trunk(board: BoardSize, *, channels: int, layers: int, hidden: int) -> nn.Sequential:
    """Layers from planes (n, 2, height, width) to features (n, hidden).

    Args:
        board: the size of the planes.
        channels: the number of filters of each convolution.
        layers: the number of convolutions, at least one.
        hidden: the number of features.
    """
    before, after = (FIRST_KERNEL - 1) // 2, FIRST_KERNEL // 2
    parts: list[nn.Module] = [
        nn.ZeroPad2d((before, after, before, after)),
        nn.Conv2d(PLANES, channels, FIRST_KERNEL),
        nn.ReLU(),
    ]
    for _ in range(layers - 1):
        parts += [nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()]
    parts += [nn.Flatten(), nn.Linear(channels * board.cells, hidden), nn.ReLU()]
    return nn.Sequential(*parts)
