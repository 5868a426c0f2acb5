"""A small residual network, trained on exact labels; its input has the threats of both sides.

::

    planes 7 x H x W -> star convolution -> blocks: x + convolution(convolution(x))
        -> column by column: its squares -> units -> + layer(units, their mean over the columns)
             -> policy: a number for the column
             -> score of the column
             -> their mean -> loss, draw, win

The star convolution sees three squares in each of the eight directions: every line of four through
a square. The others are 3 x 3. There are zeros around the board. All layers are followed by relu;
what is added to a layer's output is added before it. All columns share their weights. There is no
layer over the whole board; what columns know of each other beyond the convolutions is the mean.

:mod:`c4core.inference.residual` computes the same in whole numbers and without PyTorch, except for
the scores, which only help the training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from c4core.inference.residual import STAR, weight_shapes
from c4core.learning.errors import LearningError

if TYPE_CHECKING:
    from c4core.notation import BoardSize

PLANES = 7
VALUES = 3
REACH = 3
SIDE = 2 * REACH + 1
PLACES = [(REACH + up) * SIDE + REACH + right for right, up in STAR]
"""Where the taps are in a kernel of SIDE x SIDE, row by row."""


class ResidualOutputs(NamedTuple):
    """The network's output for n positions, for the side to move."""

    policy: torch.Tensor
    """(n, width): logits of every column, full ones included."""
    value: torch.Tensor
    """(n, 3): logits of loss, draw and win."""
    scores: torch.Tensor
    """(n, width): the scores of the columns; 1 stands for the largest one of the board."""


class _Star(nn.Module):
    """A convolution of 7 x 7 that has weights only in the eight directions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels, PLANES, len(STAR)))
        self.bias = nn.Parameter(torch.zeros(channels))
        nn.init.kaiming_uniform_(self.weight.view(channels, -1), nonlinearity="relu")

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Numbers (n, channels, height, width) for planes (n, 7, height, width)."""
        empty = self.weight.new_zeros(*self.weight.shape[:2], SIDE * SIDE)
        kernel = empty.index_copy(2, torch.tensor(PLACES), self.weight)
        return functional.conv2d(
            planes, kernel.view(*self.weight.shape[:2], SIDE, SIDE), self.bias, padding=REACH
        )


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
        self, board: BoardSize, *, channels: int = 32, blocks: int = 4, hidden: int = 32
    ) -> None:
        super().__init__()
        try:
            weight_shapes(board.height, channels, blocks, hidden)
        except ValueError as error:
            raise LearningError(str(error)) from None
        self.first = _Star(channels)
        self.blocks = nn.Sequential(*(_Block(channels) for _ in range(blocks)))
        self.column = nn.Linear(board.height * channels, hidden)
        self.mixing = nn.Linear(2 * hidden, hidden)
        self.policy = nn.Linear(hidden, 1)
        self.score = nn.Linear(hidden, 1)
        self.value = nn.Linear(hidden, VALUES)

    def forward(self, planes: torch.Tensor) -> ResidualOutputs:
        """The output for planes (n, 7, height, width) of :mod:`c4core.inference.planes`."""
        features = self.blocks(torch.relu(self.first(planes)))
        squares = features.permute(0, 3, 2, 1).flatten(2)  # (n, width, height * channels)
        alone = torch.relu(self.column(squares))
        mean = alone.mean(1, keepdim=True).expand_as(alone)
        units = torch.relu(alone + self.mixing(torch.cat([alone, mean], 2)))
        return ResidualOutputs(
            self.policy(units).squeeze(2), self.value(units.mean(1)), self.score(units).squeeze(2)
        )
