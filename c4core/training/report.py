"""The quality of a model: confusion matrix, accuracy, share of best moves, and a plot of curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.learning.cnn import SURE, final_outputs
from c4core.learning.playing import preferences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import torch
    from torch import nn

    from c4core.learning.modelfile import Model
    from c4core.training.labels import Positions

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
        kind: one of :data:`c4core.learning.modelfile.KINDS`.
        positions: the positions with their labels.
    """
    is_open = positions.is_open
    chosen, value_right = [], []
    for first in range(0, len(positions), _BATCH):
        part = slice(first, first + _BATCH)
        found, values = preferences(network, kind, positions.planes[part])
        found[~is_open[part]] = -np.inf
        chosen.append(found.argmax(axis=1))
        if values is not None:
            value_right.append(values == positions.value[part])
    columns = np.concatenate(chosen)
    best = positions.best != 0
    hit = best[np.arange(len(columns)), columns]
    chance = (best & is_open).sum(axis=1) / is_open.sum(axis=1)
    plies = tuple(
        PlyShare(int(ply), int(at.sum()), int(hit[at].sum()), round(float(chance[at].sum()), 6))
        for ply in np.unique(positions.ply)
        for at in [positions.ply == ply]
    )
    share = float(np.concatenate(value_right).mean()) if value_right else None
    return BestShares(plies, share)


CURVES: Final[Mapping[str, Sequence[tuple[str, Sequence[tuple[str, str]]]]]] = {
    "cnn": (
        (
            "share of grids that it is right about",
            (("accuracy", "trained on"), ("test_accuracy", "tested")),
        ),
        ("mean squared error", (("loss", "trained on"), ("test_loss", "tested"))),
    ),
    "exact": (
        ("held-out positions", (("best_share", "best column"), ("value_accuracy", "result"))),
        ("loss", (("policy_loss", "policy"), ("value_loss", "value"))),
    ),
    "selfplay": (
        ("share of games won", (("won_random", "against random"), ("won_set", "against set"))),
        ("squared error", (("loss", "worth of columns"),)),
    ),
}
"""The two plots of each kind of model: the label of each, and its curves."""

_COLOURS: Final = ("#2171b5", "#d2560b")
_STYLE: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.hashsalt": "c4",
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_DOTS_PER_INCH: Final = 150


def draw_curves(model: Model, path: Path) -> None:
    """Draw the curves of a training into a file; its suffix is the format.

    Args:
        model: a model with at least one epoch.
        path: the file.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    epochs = [entry["epoch"] for entry in model.history]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9.5, 3.6), layout="constrained", facecolor="white")
        plots = figure.subplots(1, 2)
        for axes, (label, curves) in zip(plots, CURVES[model.kind], strict=True):
            for (name, what), colour in zip(curves, _COLOURS, strict=False):
                values = [entry[name] for entry in model.history]
                axes.plot(epochs, values, color=colour, linewidth=1.4, label=what, marker=".")
            axes.set_xlabel("epoch")
            axes.set_ylabel(label)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.legend(frameon=False)
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=_DOTS_PER_INCH, metadata=metadata)


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
