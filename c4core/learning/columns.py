"""A network with an output for every column: what playing there is worth, from -1 to 1."""

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
        board: of the positions.
        channels: filters of each convolution.
        layers: convolutions.
        hidden: features that the outputs see.
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
