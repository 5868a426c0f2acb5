"""A small residual network, trained on exact labels; its input has the threats of both sides.

::

    planes 6 x H x W -> convolution -> blocks: x + convolution(convolution(x))
        -> column by column: its squares -> hidden units -> policy: a number for the column
                                                         -> score of the column
                                                         -> their mean -> loss, draw, win

All convolutions are 3 x 3 with zeros around the board, and followed by relu, the second one of a
block after the sum. All columns share their weights. There is no layer over the whole board.

:mod:`c4core.inference.residual` computes the same without PyTorch, except for the scores, which
only help the training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from c4core.inference.residual import weight_shapes
from c4core.learning.errors import LearningError

if TYPE_CHECKING:
    from c4core.notation import BoardSize

PLANES = 6
VALUES = 3


class ResidualOutputs(NamedTuple):
    """The network's output for n positions, for the side to move."""

    policy: torch.Tensor
    """(n, width): logits of every column, full ones included."""
    value: torch.Tensor
    """(n, 3): logits of loss, draw and win."""
    scores: torch.Tensor
    """(n, width): the scores of the columns; 1 stands for the largest one of the board."""


class _Block(nn.Module):
    """Two convolutions, and their input added to their output."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.inner = nn.Conv2d(channels, channels, 3, padding=1)
        self.outer = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.outer.weight)  # at first a block changes nothing: deep ones learn, too

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Numbers (n, channels, height, width), from as many."""
        outer: torch.Tensor = self.outer(torch.relu(self.inner(x)))
        return torch.relu(x + outer)


class ResidualNetwork(nn.Module):
    """Policy, value and scores of positions.

    Args:
        board: the size of the positions.
        channels: the number of filters of each convolution, a multiple of 8.
        blocks: the number of pairs of convolutions.
        hidden: the number of units of a column, a multiple of 8.

    Raises:
        LearningError: a number is out of range.
    """

    def __init__(
        self, board: BoardSize, *, channels: int = 32, blocks: int = 2, hidden: int = 32
    ) -> None:
        super().__init__()
        try:
            weight_shapes(board.height, channels, blocks, hidden)
        except ValueError as error:
            raise LearningError(str(error)) from None
        self.first = nn.Conv2d(PLANES, channels, 3, padding=1)
        self.blocks = nn.Sequential(*(_Block(channels) for _ in range(blocks)))
        self.column = nn.Linear(board.height * channels, hidden)
        self.policy = nn.Linear(hidden, 1)
        self.score = nn.Linear(hidden, 1)
        self.value = nn.Linear(hidden, VALUES)

    def forward(self, planes: torch.Tensor) -> ResidualOutputs:
        """The output for planes (n, 6, height, width) of :mod:`c4core.inference.planes`."""
        features = self.blocks(torch.relu(self.first(planes)))
        squares = features.permute(0, 3, 2, 1).flatten(2)  # (n, width, height * channels)
        units = torch.relu(self.column(squares))
        return ResidualOutputs(
            self.policy(units).squeeze(2), self.value(units.mean(1)), self.score(units).squeeze(2)
        )
