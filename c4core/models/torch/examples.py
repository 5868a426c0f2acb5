"""Labelled positions as tensors, their losses, and positions that are drawn at random.

The losses of a position are:

- for the policy, the negative logarithm of the total probability of all best columns, so the
  network may choose any of them. Full columns are left out. A second loss of this form is for all
  columns that keep the result;
- for the value, the cross entropy of loss, draw and win;
- for the scores, the mean squared error over the open columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import torch
from torch.nn import functional

from c4core.evaluation import NO_SCORE
from c4core.models.planes import input_planes, words_of_planes
from c4core.models.torch.networks import STAR_PLANES, ResidualOutputs

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import nn

    from c4core.models.labels import Positions
    from c4core.notation import BoardSize

Precision = Literal["float32", "bfloat16"]
"""The number format of the network's computations in training; weights are always float32."""

KNOWN: Final = 0.15
"""The chance that a drawn position is learned if the network surely keeps its result."""
UNKNOWN: Final = 2.0
"""The chance grows by this times the position's last loss of kept results, up to 1."""

_NEVER: Final = float("-inf")

_PIECE: Final = 1 << 16
"""The number of positions whose planes are computed in one step; this limits the memory."""


class Examples:
    """Labelled positions on a device."""

    def __init__(self, positions: Positions, *, device: str, precision: Precision) -> None:
        self.board, self._device, self._precision = positions.board, device, precision
        arrays = (
            packed_planes(positions),
            positions.best != 0,
            positions.is_open,
            positions.value,
            positions.column_scores,
        )
        self._bits, self._best, self._open, self._value, self._scores = (
            torch.from_numpy(array).to(device) for array in arrays
        )

    def __len__(self) -> int:
        return len(self._value)

    def losses(
        self, network: nn.Module, rows: torch.Tensor, mirrored: torch.Tensor
    ) -> torch.Tensor:
        """(n, 4): the losses of n positions: best columns, kept results, value, and scores.

        Args:
            network: a network of kind residual, on the same device.
            rows: (n,), the positions' indices.
            mirrored: (n,), whether each position is mirrored.
        """
        rows, mirrored = rows.to(self._device), mirrored.to(self._device)
        inputs = turned(unpacked_planes(self._bits[rows], self.board), mirrored).float()
        with torch.autocast(
            torch.device(self._device).type,
            torch.bfloat16,
            enabled=self._precision == "bfloat16",
        ):
            found = network(inputs.contiguous(memory_format=torch.channels_last))
        outputs = ResidualOutputs(*(each.float() for each in found))
        best, is_open, scores = (
            turned(part[rows], mirrored) for part in (self._best, self._open, self._scores)
        )
        results = self._value[rows].long() + 1
        keeps = is_open & (scores.sign() == (results - 1).unsqueeze(1))
        wanted = scores.float() / ((self.board.cells + 1) // 2)
        errors = (outputs.scores - wanted).square().masked_fill(scores == NO_SCORE, 0.0)
        losses = [
            policy_losses(outputs.policy, best, is_open),
            policy_losses(outputs.policy, keeps, is_open),
            functional.cross_entropy(outputs.value, results, reduction="none"),
            errors.sum(1) / is_open.sum(1),
        ]
        return torch.stack(losses, dim=1)


class Drawn:
    """Positions that are drawn at random; the better known, the less often they are learned.

    Args:
        copies: (n,); a position with two copies is drawn twice as often as one with one.
    """

    def __init__(self, copies: NDArray[np.intp]) -> None:
        self._rows = torch.from_numpy(np.repeat(np.arange(len(copies)), copies))
        self.chances = torch.full((len(copies),), 0.5)
        """(n,): the chance that each position is learned when it is drawn."""

    def restore(self, chances: NDArray[np.generic]) -> None:
        """Take over chances."""
        if chances.dtype != np.float32 or chances.shape != tuple(self.chances.shape):
            raise ValueError("it has chances for other positions")
        self.chances = torch.from_numpy(chances.copy())

    def losses(
        self, examples: Examples, network: nn.Module, count: int, generator: torch.Generator
    ) -> torch.Tensor:
        """(4,): the mean losses of this many positions; half of them are mirrored."""
        candidates = round(count / KNOWN)
        places = torch.randint(len(self._rows), (candidates,), generator=generator)
        rows = self._rows[places]
        is_drawn = torch.rand(candidates, generator=generator) < self.chances[rows]
        rows = torch.cat([rows[is_drawn], rows[~is_drawn]])[:count]
        mirrored = torch.rand(count, generator=generator) < 0.5  # noqa: PLR2004
        losses = examples.losses(network, rows, mirrored)
        found = (KNOWN + UNKNOWN * losses[:, 1].detach().cpu()).clamp(max=1)
        self.chances[rows] = (self.chances[rows] + found) / 2
        return losses.mean(0)


def packed_planes(positions: Positions) -> NDArray[np.uint8]:
    """(n, bytes): the planes of n positions, a bit for each square.

    The planes of :mod:`c4core.models.planes` would take eight times the memory.
    """
    own, mask = words_of_planes(positions.planes)
    packed = []
    for first in range(0, len(own), _PIECE):
        part = slice(first, first + _PIECE)
        planes = input_planes(own[part], mask[part], positions.board)
        packed.append(np.packbits(planes.reshape(len(planes), -1), axis=1))
    return np.concatenate(packed)


def unpacked_planes(packed: torch.Tensor, board: BoardSize) -> torch.Tensor:
    """(n, planes, height, width): the planes of :func:`packed_planes`, on the same device."""
    places = torch.arange(7, -1, -1, device=packed.device, dtype=torch.uint8)
    bits = (packed.unsqueeze(2) >> places) & 1
    used = bits.flatten(1)[:, : STAR_PLANES * board.cells]
    return used.view(-1, STAR_PLANES, board.height, board.width)


def policy_losses(policy: torch.Tensor, best: torch.Tensor, is_open: torch.Tensor) -> torch.Tensor:
    """(n,): the negative logarithm of the total probability of all best columns.

    All arguments are (n, width); the policy has logits.
    """
    logits = policy.masked_fill(~is_open, _NEVER)
    return logits.logsumexp(1) - logits.masked_fill(~best, _NEVER).logsumexp(1)


def turned(tensor: torch.Tensor, mirrored: torch.Tensor) -> torch.Tensor:
    """Mirror the marked rows of a tensor; its last axis is the board's columns."""
    where = mirrored.view(-1, *[1] * (tensor.dim() - 1))
    return torch.where(where, tensor.flip(-1), tensor)
