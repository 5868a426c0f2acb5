"""The network of Brewer 2017: did player 1 win the game with this final grid?

::

    grid 1 x H x W -> convolution, 42 filters 4 x 4, tanh -> largest of each 2 x 2
                   -> flat -> 7 units, sigmoid -> 1 unit, sigmoid

With padding ``same`` the convolution keeps the grid's size: it adds one row and column of zeros at
the top and on the left, and two at the bottom and on the right. With ``valid`` it adds none. The
publication does not say which it used; its program has ``same``. On 7x6 the network has 3,375
parameters with ``same``, and 1,317 with ``valid``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

import torch
from torch import nn

from c4core.learning.errors import LearningError

if TYPE_CHECKING:
    from c4core.notation import BoardSize

Padding = Literal["same", "valid"]

FILTERS: Final = 42
KERNEL: Final = 4
POOL: Final = 2
HIDDEN: Final = 7

SURE: Final = 0.5
"""An output above this means that player 1 has won."""

_BATCH: Final = 4096
"""Grids that are evaluated together."""


class FinalGridNetwork(nn.Module):
    """Predicts from a final grid whether player 1 has won: a number from 0 to 1.

    The initial weights are those of the library that Brewer used: uniform by Glorot's rule, with
    zero biases.

    Args:
        board: the size of the grids.
        padding: the padding of the convolution.

    Raises:
        LearningError: the padding is unknown, or the board is too small for it.
    """

    def __init__(self, board: BoardSize, padding: Padding = "same") -> None:
        super().__init__()
        if padding not in get_args(Padding):
            raise LearningError(f"padding is same or valid, not {padding!r}")
        lost = 0 if padding == "same" else KERNEL - 1
        high, wide = ((size - lost) // POOL for size in (board.height, board.width))
        if min(high, wide) < 1:
            raise LearningError(f"padding {padding} leaves nothing of a {board} board")
        before, after = (KERNEL - 1) // 2, KERNEL // 2
        around = (before, after, before, after)
        self.layers = nn.Sequential(
            nn.ZeroPad2d(around) if padding == "same" else nn.Identity(),
            nn.Conv2d(1, FILTERS, KERNEL),
            nn.Tanh(),
            nn.MaxPool2d(POOL),
            nn.Flatten(),
            nn.Linear(FILTERS * high * wide, HIDDEN),
            nn.Sigmoid(),
            nn.Linear(HIDDEN, 1),
            nn.Sigmoid(),
        )
        for layer in self.layers:
            if isinstance(layer, nn.Conv2d | nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def forward(self, grids: torch.Tensor) -> torch.Tensor:
        """The outputs, (n,), of grids (n, 1, height, width)."""
        outputs: torch.Tensor = self.layers(grids)
        return outputs.squeeze(1)


def final_outputs(network: nn.Module, grids: torch.Tensor) -> torch.Tensor:
    """The outputs of a network for final grids, (n,), computed in batches to save memory."""
    network.eval()
    with torch.inference_mode():
        return torch.cat([network(part.float()) for part in torch.split(grids, _BATCH)])
