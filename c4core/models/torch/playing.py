"""How networks play, from a position to a column; and how well they do.

=========  ==========================================================================
cnn        evaluates the grids after every open column in one batch, with 1 for the
           stones of the side that moves; plays the largest output (Brewer 2017)
exact      plays the column with the largest policy
selfplay   plays the column with the largest worth
residual   plays the column with the largest policy, on average over both mirror images
=========  ==========================================================================

Of several equal columns the leftmost is played.

Two measures say how good a network is: confusion matrices on final grids, and its columns against
exact labels.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import torch

from c4core.models.evaluator import (
    grids_of_planes,
    input_planes,
    planes_of_positions,
    words_of_planes,
)
from c4core.models.files import read_unchanged
from c4core.models.quality import Quality, quality_of
from c4core.models.torch.networks import network_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import nn

    from c4core.models.labels import Positions
    from c4core.notation import BoardSize
    from c4core.position import Position

SURE: Final = 0.5
"""An output for a final grid above this means that player 1 has won."""

_KEPT: Final = 16
"""The largest number of networks that are kept in memory."""

_BATCH: Final = 4096
"""Grids or positions that are evaluated together."""


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
        kind: one of :data:`c4core.models.files.KINDS`.
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
        kind: one of :data:`c4core.models.files.KINDS`.
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


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often a network was right about final grids. *True* means that player 1 has won."""

    true_true: int
    """Player 1 has won, and the network says so."""
    true_false: int
    """Player 1 has won, and the network does not say so."""
    false_true: int
    """Player 1 has not won, though the network says so."""
    false_false: int
    """Player 1 has not won, and the network does not say so."""

    @property
    def games(self) -> int:
        """The number of games."""
        return self.true_true + self.true_false + self.false_true + self.false_false

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return (self.true_true + self.false_false) / self.games

    @classmethod
    def of(cls, network: nn.Module, grids: torch.Tensor, won: torch.Tensor) -> Confusion:
        """Ask a network about at least one final grid.

        Args:
            network: a network for final grids.
            grids: (n, 1, height, width).
            won: (n,), whether player 1 has won.
        """
        said = final_outputs(network, grids) > SURE
        return cls(
            true_true=int((won & said).sum()),
            true_false=int((won & ~said).sum()),
            false_true=int((~won & said).sum()),
            false_false=int((~won & ~said).sum()),
        )


@dataclass(frozen=True, slots=True)
class PlyShare:
    """How often a network's column is a best one, with a certain number of stones on the board."""

    ply: int
    """The number of stones on the board."""
    positions: int
    """The number of positions with this many stones."""
    best: int
    """In this many of them the network plays a best column."""
    chance: float
    """In this many of them, on average, a random column is a best one."""


@dataclass(frozen=True, slots=True)
class BestShares:
    """How often a network's column is a best one."""

    plies: tuple[PlyShare, ...]
    """The shares by ply, ascending."""
    value_share: float | None
    """The share of positions with a correctly predicted result; None without predictions."""

    @property
    def positions(self) -> int:
        """The number of positions."""
        return sum(ply.positions for ply in self.plies)

    @property
    def best_share(self) -> float:
        """The share over all positions."""
        return sum(ply.best for ply in self.plies) / self.positions

    @property
    def chance_share(self) -> float:
        """The expected share of random columns."""
        return sum(ply.chance for ply in self.plies) / self.positions


def share_of_best(network: nn.Module, kind: str, positions: Positions) -> BestShares:
    """Compare a network's columns with exact labels.

    Args:
        network: the network.
        kind: one of :data:`c4core.models.files.KINDS`.
        positions: the positions with their labels.
    """
    is_open = positions.is_open
    columns, values = _choices(network, kind, positions.planes)
    best = positions.best != 0
    hit = best[np.arange(len(columns)), columns]
    chance = (best & is_open).sum(axis=1) / is_open.sum(axis=1)
    plies = tuple(
        PlyShare(int(ply), int(at.sum()), int(hit[at].sum()), round(float(chance[at].sum()), 6))
        for ply in np.unique(positions.ply)
        for at in [positions.ply == ply]
    )
    share = None if values is None else float((values == positions.value).mean())
    return BestShares(plies, share)


def quality_of_network(
    network: nn.Module, kind: str, positions: Positions, *, mirrors: bool = True
) -> Quality:
    """Measure a network's columns by the proof.

    Args:
        network: the network.
        kind: one of :data:`c4core.models.files.KINDS`.
        positions: the positions with their labels.
        mirrors: whether to look at the mirrored positions, too.
    """
    columns, _ = _choices(network, kind, positions.planes)
    if not mirrors:
        return quality_of(positions, columns)
    mirrored, _ = _choices(network, kind, np.ascontiguousarray(positions.planes[..., ::-1]))
    return quality_of(positions, columns, mirrored=mirrored)


def _choices(
    network: nn.Module, kind: str, planes: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """The columns that a network plays, and the results that it predicts, if it does."""
    chosen, predicted = [], []
    for first in range(0, len(planes), _BATCH):
        part = planes[first : first + _BATCH]
        found, values = preferences(network, kind, part)
        found[part[:, :, -1].any(axis=1)] = -np.inf  # full columns
        chosen.append(found.argmax(axis=1))
        if values is not None:
            predicted.append(values)
    return np.concatenate(chosen), np.concatenate(predicted) if predicted else None


def confusion_object(confusion: Confusion) -> dict[str, float]:
    """A confusion matrix as JSON."""
    return {
        "games": confusion.games,
        "true_true": confusion.true_true,
        "true_false": confusion.true_false,
        "false_true": confusion.false_true,
        "false_false": confusion.false_false,
        "accuracy": round(confusion.accuracy, 6),
    }


def shares_object(shares: BestShares) -> dict[str, Any]:
    """Shares of best moves as JSON."""
    return {
        "positions": shares.positions,
        "best_share": round(shares.best_share, 6),
        "random_share": round(shares.chance_share, 6),
        "value_accuracy": None if shares.value_share is None else round(shares.value_share, 6),
        "plies": [
            {
                "ply": ply.ply,
                "positions": ply.positions,
                "best_share": round(ply.best / ply.positions, 6),
                "random_share": round(ply.chance / ply.positions, 6),
            }
            for ply in shares.plies
        ],
    }
