"""The quality of networks: confusion matrices on final grids, and columns against exact labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.models.quality import Quality, quality_of
from c4core.models.torch.playing import SURE, final_outputs, preferences

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from torch import nn

    from c4core.models.labels import Positions

_BATCH: Final = 4096


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
        kind: one of :data:`c4core.models.kinds.KINDS`.
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
        kind: one of :data:`c4core.models.kinds.KINDS`.
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
