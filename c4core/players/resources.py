"""What a caller provides for players: exact scores, stored games, and consent."""

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
    """Finished games, of which only the final grids are known."""

    def tally(self, position: Position) -> Sequence[tuple[int, int, int] | None]:
        """For each column, the games whose final grid holds all stones of the position after it.

        Args:
            position: not over.

        Returns:
            For every column ``(games, wins of the side to move, draws)``; None where it is full.
        """


@dataclass(frozen=True, slots=True)
class Resources:
    """What a caller provides for players that need it."""

    analyst: Analyst | None = None
    """Knows exact scores; without it the players that need them share a solver."""
    final_games: FinalGames | None = None
    """Finished games to look up."""
    programs: Consent = NO_PROGRAM
    """Which players that are programs may be started."""
