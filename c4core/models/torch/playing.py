"""Choose a network's columns in positions, and compute its outputs for final grids.

=========  ===========================================================================
cnn        evaluates the grid after each open column, with 1 for the stones of the side to
           move; plays the column with the largest output (Brewer 2017)
residual   plays a winning column if there is one; otherwise the column with the largest
           policy, on average over both mirror images
=========  ===========================================================================

If several columns are equal, the leftmost is played.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch

from c4core.models.files import read_unchanged
from c4core.models.planes import (
    grids_of_planes,
    input_planes,
    planes_of_positions,
    words_of_planes,
)
from c4core.models.residual import BLOCKING_WORTH, WINNING_WORTH
from c4core.models.torch.networks import network_of
from c4core.notation import BoardSize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import nn

    from c4core.position import Position

SURE: Final = 0.5
"""A larger output for a final grid means that player 1 has won."""

_KEPT: Final = 16

_BATCH: Final = 4096
"""The number of grids or positions that are evaluated together."""


class Loaded(NamedTuple):
    """A loaded network and its board."""

    network: nn.Module
    board: BoardSize


@functools.lru_cache(maxsize=_KEPT)
def load_network(path: str, fingerprint: str) -> Loaded:
    """The network of a file, which is read once. The weights must have the fingerprint.

    From then on, PyTorch uses one thread in this process. A match plays a game on each core anyway.
    One thread always adds numbers in the same order, so moves can be reproduced.
    """
    torch.set_num_threads(1)
    model = read_unchanged(Path(path), fingerprint)
    return Loaded(network_of(model, Path(path)), model.board)


def choose_column(network: nn.Module, position: Position) -> int:
    """The column that a network of kind cnn plays; the game must not be over."""
    columns = position.legal_columns()
    after = planes_of_positions([position.play(column) for column in columns], moved=True)
    outputs = final_outputs(network, torch.from_numpy(grids_of_planes(after)))
    return columns[int(outputs.argmax())]


def residual_columns(network: nn.Module, positions: Sequence[Position]) -> list[int]:
    """The columns that a network of kind residual plays."""
    planes = planes_of_positions(positions, moved=False)
    found = []
    for first in range(0, len(planes), _BATCH):
        part = planes[first : first + _BATCH]
        policies = residual_policies(network, part)
        policies[part[:, :, -1].any(axis=1)] = -np.inf  # full columns
        found += policies.argmax(axis=1).tolist()
    return found


def residual_policies(network: nn.Module, planes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(n, width): policies averaged over mirror images, meaningless for full columns.

    Args:
        network: a network of kind residual.
        planes: (n, 2, height, width), from the side to move.
    """
    height, width = planes.shape[2:]
    inputs = input_planes(*words_of_planes(planes), BoardSize(width, height))
    device = next(network.parameters()).device
    seen = torch.from_numpy(inputs).to(device).float()
    with torch.inference_mode():
        plain, mirrored = network(seen), network(seen.flip(-1))
        policy = (plain.policy + mirrored.policy.flip(-1)) / 2
        # A playable square that completes four, for the side to move or for the opponent.
        forced = WINNING_WORTH * seen[:, 3] + BLOCKING_WORTH * seen[:, 4]
        policy += (seen[:, 2] * forced).amax(1)
    return policy.cpu().numpy().copy()


def final_outputs(network: nn.Module, grids: torch.Tensor) -> torch.Tensor:
    """(n,): the outputs of a network for final grids, computed in batches to save memory."""
    network.eval()
    with torch.inference_mode():
        return torch.cat([network(part.float()) for part in torch.split(grids, _BATCH)])
