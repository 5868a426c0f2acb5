"""A network with an output for every column: the worth of a move there, from -1 to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

from c4core.learning.trunk import trunk

if TYPE_CHECKING:
    import torch

    from c4core.notation import BoardSize


class ColumnNetwork(nn.Module):
    """The worth of every column for the side to move.

    Args:
        board: the size of the positions.
        channels: the number of filters of each convolution.
        layers: the number of convolutions.
        hidden: the number of features from which the outputs are computed.
    """

    def __init__(
        self, board: BoardSize, *, channels: int = 64, layers: int = 1, hidden: int = 128
    ) -> None:
        super().__init__()
        self.trunk = trunk(board, channels=channels, layers=layers, hidden=hidden)
        self.worth = nn.Sequential(nn.Linear(hidden, board.width), nn.Tanh())

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """(n, width): the columns of planes (n, 2, height, width), full ones included."""
        outputs: torch.Tensor = self.worth(self.trunk(planes))
        return outputs
