"""A small network, trained on exact labels, that predicts the best columns and the result.

::

    planes 2 x H x W -> convolutions -> features -> policy: a number for every column
                                                 -> value: loss, draw, win of the side to move
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from torch import nn

from c4core.learning.trunk import trunk

if TYPE_CHECKING:
    import torch

    from c4core.notation import BoardSize

VALUES: Final = 3
"""Outputs of the value head: the side to move loses, draws, wins."""


class Outputs(NamedTuple):
    """The network's output for n positions, for the side to move."""

    policy: torch.Tensor
    """(n, width): logits of every column, full ones included."""
    value: torch.Tensor
    """(n, 3): logits of loss, draw and win."""


class ExactNetwork(nn.Module):
    """Policy and value of positions.

    Args:
        board: the size of the positions.
        channels: the number of filters of each convolution.
        layers: the number of convolutions.
        hidden: the number of features, the input of both heads.
    """

    def __init__(
        self, board: BoardSize, *, channels: int = 64, layers: int = 3, hidden: int = 128
    ) -> None:
        super().__init__()
        self.trunk = trunk(board, channels=channels, layers=layers, hidden=hidden)
        self.policy = nn.Linear(hidden, board.width)
        self.value = nn.Linear(hidden, VALUES)

    def forward(self, planes: torch.Tensor) -> Outputs:
        """The output for planes (n, 2, height, width) of the side to move."""
        features = self.trunk(planes)
        return Outputs(self.policy(features), self.value(features))
