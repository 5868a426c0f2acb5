"""Choose a network's column in a position, and measure how good its columns are.

=========  ===========================================================================
cnn        evaluates the grid after each open column, with 1 for the stones of the side to
           move; plays the column with the largest output (Brewer 2017)
exact      plays the column with the largest policy
selfplay   plays the column with the largest worth
residual   plays a winning column if there is one; otherwise the column with the largest
           policy, on average over both mirror images
=========  ===========================================================================

If several columns are equal, the leftmost is played.

There are two measures: confusion matrices on final grids, and columns compared with exact labels.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import torch

from c4core.models.evaluator import (
    BLOCKING_WORTH,
    WINNING_WORTH,
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
"""A larger output for a final grid means that player 1 has won."""

_KEPT: Final = 16
"""The largest number of networks that are kept in memory."""

_BATCH: Final = 4096
"""The number of grids or positions that are evaluated together."""


class Loaded(NamedTuple):
    """A loaded network and its board."""

    network: nn.Module
    """The network, in evaluation mode."""
    board: BoardSize
    """The board that the network plays on."""


@functools.lru_cache(maxsize=_KEPT)
def load_network(path: str, fingerprint: str) -> Loaded:
    """The network of a file, which is read once. The weights must have the fingerprint.

    From then on, PyTorch uses one thread in this process. A match plays a game on each core anyway.
    One thread always adds numbers in the same order, so moves can be reproduced.

    Raises:
        ModelError: the file is no longer a model, or has other weights.
        OSError: the file cannot be read.
    """
    torch.set_num_threads(1)
    model = read_unchanged(Path(path), fingerprint)
    return Loaded(network_of(model, Path(path)), model.board)


def choose_column(network: nn.Module, kind: str, position: Position) -> int:
    """The column that a network of this kind plays; the game must not be over."""
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
        planes: (n, 2, height, width), from the side to move.

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
    """The policies, averaged over positions and their mirror images, and the predicted results."""
    height, width = planes.shape[2:]
    inputs = input_planes(
        *words_of_planes(np.ascontiguousarray(planes)), width=width, height=height
    )
    device = next(network.parameters()).device
    seen = torch.from_numpy(inputs).to(device).float()
    with torch.inference_mode():
        plain, mirrored = network(seen), network(seen.flip(-1))
        policy = (plain.policy + mirrored.policy.flip(-1)) / 2
        # A playable square that completes four, for the side to move or for the opponent.
        forced = WINNING_WORTH * seen[:, 3] + BLOCKING_WORTH * seen[:, 4]
        policy += (seen[:, 2] * forced).amax(1)
        chances = plain.value.softmax(1) + mirrored.value.softmax(1)
    return policy.cpu().numpy().copy(), chances.argmax(1).cpu().numpy() - 1


def _final_preferences(network: nn.Module, planes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(n, width): the outputs for the grids after a move in each column."""
    n, _, height, width = planes.shape
    heights = planes.any(axis=1).sum(axis=1)
    after = np.repeat(planes[:, np.newaxis], width, axis=1)
    rows = np.minimum(heights, height - 1)  # a full column's output is not used
    after[np.arange(n)[:, np.newaxis], np.arange(width), 0, rows, np.arange(width)] = 1
    grids = grids_of_planes(after.reshape(n * width, 2, height, width))
    found: NDArray[np.float32] = final_outputs(network, torch.from_numpy(grids)).numpy()
    return found.reshape(n, width).copy()


def final_outputs(network: nn.Module, grids: torch.Tensor) -> torch.Tensor:
    """(n,): the outputs of a network for final grids, computed in batches to save memory."""
    network.eval()
    with torch.inference_mode():
        return torch.cat([network(part.float()) for part in torch.split(grids, _BATCH)])


@dataclass(frozen=True, slots=True)
class Confusion:
    """A confusion matrix for final grids. *True* means that player 1 has won.

    The first word of a field is the result, and the second word is the prediction.
    """

    true_true: int
    true_false: int
    false_true: int
    false_false: int

    @property
    def games(self) -> int:
        """The number of games."""
        return self.true_true + self.true_false + self.false_true + self.false_false

    @property
    def accuracy(self) -> float:
        """The share of correct predictions."""
        return (self.true_true + self.false_false) / self.games

    @classmethod
    def of(cls, network: nn.Module, grids: torch.Tensor, won: torch.Tensor) -> Confusion:
        """Compare a network's predictions for at least one final grid with the results.

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
    """The frequency of best columns among positions with the same number of stones."""

    ply: int
    """The number of stones on the board."""
    positions: int
    """The number of positions with this many stones."""
    best: int
    """The number of these positions where the network plays a best column."""
    chance: float
    """The expected number of these positions where a random column is a best one."""


@dataclass(frozen=True, slots=True)
class BestShares:
    """The frequency of best columns among all positions."""

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
        """The share of best columns over all positions."""
        return sum(ply.best for ply in self.plies) / self.positions

    @property
    def chance_share(self) -> float:
        """The expected share of best columns if columns are chosen at random."""
        return sum(ply.chance for ply in self.plies) / self.positions


def share_of_best(network: nn.Module, kind: str, positions: Positions) -> BestShares:
    """Compare the columns of a network of this kind with exact labels."""
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
    """Measure a network's columns against exact scores; with ``mirrors``, also in mirror images."""
    columns, _ = _choices(network, kind, positions.planes)
    if not mirrors:
        return quality_of(positions, columns)
    mirrored, _ = _choices(network, kind, np.ascontiguousarray(positions.planes[..., ::-1]))
    return quality_of(positions, columns, mirrored=mirrored)


def _choices(
    network: nn.Module, kind: str, planes: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """The columns that a network plays, and its predicted results, or None without predictions."""
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
    """The shares of best columns as JSON."""
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
