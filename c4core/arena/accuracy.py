"""The accuracy of players: the points that their moves gave away, measured by exact scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.arena.judging import JudgedMove


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The accuracy of some moves."""

    moves: int = 0
    """Moves that were judged."""
    best: int = 0
    """Moves with the best score."""
    blunders: int = 0
    """Moves that changed the result: a win given away for a draw, or anything for a loss."""
    lost: int = 0
    """Points of score that all moves gave away together."""

    @property
    def best_share(self) -> float | None:
        """The share of best moves; None without moves."""
        return self.best / self.moves if self.moves else None

    @property
    def blunder_share(self) -> float | None:
        """The share of blunders; None without moves."""
        return self.blunders / self.moves if self.moves else None

    @property
    def mean_loss(self) -> float | None:
        """Points that a move gave away on average; None without moves."""
        return self.lost / self.moves if self.moves else None

    def __add__(self, other: Accuracy) -> Accuracy:
        """The accuracy of both sets of moves together."""
        if not isinstance(other, Accuracy):
            return NotImplemented
        return Accuracy(
            self.moves + other.moves,
            self.best + other.best,
            self.blunders + other.blunders,
            self.lost + other.lost,
        )


class PlyAccuracy:
    """The accuracy of moves by the number of stones that were on the board."""

    def __init__(self) -> None:
        self._plies: dict[int, Accuracy] = {}

    @property
    def plies(self) -> Mapping[int, Accuracy]:
        """The accuracy by ply, ascending; plies without moves are left out."""
        return dict(sorted(self._plies.items()))

    @property
    def total(self) -> Accuracy:
        """The accuracy of all moves."""
        return sum(self._plies.values(), Accuracy())

    def add(self, move: JudgedMove) -> None:
        """Count a move."""
        seen = Accuracy(1, int(move.is_best), int(move.is_blunder), move.loss)
        self._plies[move.ply] = self._plies.get(move.ply, Accuracy()) + seen
