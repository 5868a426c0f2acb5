"""How models play: from a position to a column.

=========  ==========================================================================
cnn        evaluates the grids after every open column in one batch, with 1 for the
           stones of the side that moves; plays the largest output (Brewer 2017)
exact      plays the column with the largest policy
selfplay   plays the column with the largest worth
residual   plays the column with the largest policy, on average over both mirror images
=========  ==========================================================================

Of several equal columns the leftmost is played.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch

from c4core.models.evaluator import (
    grids_of_planes,
    input_planes,
    planes_of_positions,
    words_of_planes,
)
from c4core.models.files import read_unchanged
from c4core.models.torch.networks import network_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import nn

    from c4core.notation import BoardSize
    from c4core.position import Position

SURE: Final = 0.5
"""An output for a final grid above this means that player 1 has won."""

_KEPT: Final = 16
"""The largest number of networks that are kept in memory."""

_BATCH: Final = 4096
"""Grids that are evaluated together."""


class Loaded(NamedTuple):
    """A network that plays."""

    network: nn.Module
    """The network, in evaluation mode."""
    board: BoardSize
    """The board that it plays on."""


@functools.lru_cache(maxsize=_KEPT)
def load_network(path: str, fingerprint: str) -> Loaded:
    """The network of a file, which is read once. From then on PyTorch uses one thread here.

    A match plays a game on each core anyway. With one thread sums are always added in the same
    order, so that moves can be reproduced.

    Args:
        path: the file.
        fingerprint: the fingerprint that its weights must have.

    Raises:
        ModelError: the file is no longer a model, or has other weights.
        OSError: the file cannot be read.
    """
    torch.set_num_threads(1)
    model = read_unchanged(Path(path), fingerprint)
    return Loaded(network_of(model, Path(path)), model.board)


def choose_column(network: nn.Module, kind: str, position: Position) -> int:
    """The column that a network plays.

    Args:
        network: the network of a model of this kind.
        kind: one of :data:`c4core.models.kinds.KINDS`.
        position: a position of the network's board, with the game not over.
    """
    columns = position.legal_columns()
    if kind == "cnn":
        after = planes_of_positions([position.play(column) for column in columns], moved=True)
        outputs = final_outputs(network, torch.from_numpy(grids_of_planes(after)))
        return columns[int(outputs.argmax())]
    worth, _ = preferences(network, kind, planes_of_positions([position], moved=False))
    return max(columns, key=worth[0].__getitem__)


def preferences(
    network: nn.Module, kind: str, planes: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64] | None]:
    """A network's preferences for the columns of n positions.

    Args:
        network: the network of a model of this kind.
        kind: one of :data:`c4core.models.kinds.KINDS`.
        planes: (n, 2, height, width) of the side to move.

    Returns:
        The preferences, (n, width), meaningless for full columns; and the predicted results, (n,),
        as -1, 0 or 1 for the side to move, or None if this kind of network predicts none.
    """
    if kind == "cnn":
        return _final_preferences(network, planes), None
    if kind == "residual":
        return _averaged_preferences(network, planes)
    with torch.inference_mode():
        outputs = network(torch.from_numpy(planes).float())
        if kind == "exact":
            return outputs.policy.numpy().copy(), outputs.value.argmax(1).numpy() - 1
        return outputs.numpy().copy(), None


def _averaged_preferences(
    network: nn.Module, planes: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The mean of the policies of positions and of their mirror images, and their results."""
    height, width = planes.shape[2:]
    inputs = input_planes(
        *words_of_planes(np.ascontiguousarray(planes)), width=width, height=height
    )
    seen = torch.from_numpy(inputs).float()
    with torch.inference_mode():
        plain, mirrored = network(seen), network(seen.flip(-1))
        policy = (plain.policy + mirrored.policy.flip(-1)) / 2
        chances = plain.value.softmax(1) + mirrored.value.softmax(1)
    return policy.numpy().copy(), chances.argmax(1).numpy() - 1


def _final_preferences(network: nn.Module, planes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The outputs for the grids after a move in each column."""
    n, _, height, width = planes.shape
    heights = planes.any(axis=1).sum(axis=1)
    after = np.repeat(planes[:, np.newaxis], width, axis=1)
    rows = np.minimum(heights, height - 1)  # a full column's output is not used
    after[np.arange(n)[:, np.newaxis], np.arange(width), 0, rows, np.arange(width)] = 1
    grids = grids_of_planes(after.reshape(n * width, 2, height, width))
    found: NDArray[np.float32] = final_outputs(network, torch.from_numpy(grids)).numpy()
    return found.reshape(n, width).copy()


def final_outputs(network: nn.Module, grids: torch.Tensor) -> torch.Tensor:
    """The outputs of a network for final grids, (n,), computed in batches to save memory."""
    network.eval()
    with torch.inference_mode():
        return torch.cat([network(part.float()) for part in torch.split(grids, _BATCH)])
