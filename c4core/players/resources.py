"""Resources that a caller provides for players: exact scores, stored games, and consent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from c4core.players.consent import NO_PROGRAM, Consent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.evaluation import Analysis
    from c4core.position import Position


class Analyst(Protocol):
    """A source of the exact scores of all columns: a ``Solver``, or one with a book before it."""

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """Score every column."""


class FinalGames(Protocol):
    """Finished games of which only the final grids are known."""

    def tally(self, position: Position) -> Sequence[tuple[int, int, int] | None]:
        """For each column, the games whose final grid has all stones of the position after it.

        Args:
            position: a position that is not over.

        Returns:
            For every column ``(games, wins of the side to move, draws)``; None where it is full.
        """


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources for the players that need them."""

    analyst: Analyst | None = None
    """The source of exact scores; without it the players that need them share a solver."""
    final_games: FinalGames | None = None
    """Finished games to look up."""
    programs: Consent = NO_PROGRAM
    """The programs that may be started as players."""
