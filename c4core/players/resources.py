"""What players may need and do not have themselves: exact scores, stored games, and consent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from c4core.players.consent import NO_PROGRAM, Consent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.evaluation import Analysis
    from c4core.position import Position


class Analyst(Protocol):
    """Knows the exact score of every column: a ``Solver``, perhaps with a book in front of it."""

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """Score every column."""


class FinalGames(Protocol):
    """Finished games, of which only the final grids need be known."""

    def tally(self, position: Position) -> Sequence[tuple[int, int, int] | None]:
        """For each column, the games whose final grid holds all stones of the position after it.

        Args:
            position: not over.

        Returns:
            For every column ``(games, wins of the side to move, draws)``; None where it is full.
        """


@dataclass(frozen=True, slots=True)
class Resources:
    """What the caller has for players that need it."""

    analyst: Analyst | None = None
    """Exact scores; without it such players use a solver that all of them share."""
    final_games: FinalGames | None = None
    """Games that were played."""
    programs: Consent = NO_PROGRAM
    """Which players that are programs may be started."""
