"""The results of a match: a tally, or arrays with an entry for every game."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from c4core.arena.statistics import Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from db.records.jobs import JobState
    from db.records.terms import MatchTerms

NO_GAMES: Final = Tally(0, 0)


class Origin(StrEnum):
    """Where the games of a match come from."""

    PLAYED = "played"
    """A job has played them, or will."""
    IMPORTED = "imported"
    """A file."""


@dataclass(frozen=True, slots=True)
class MatchTally:
    """The results of a match so far."""

    a_as_x: Tally = NO_GAMES
    """Player a's results in games in which it had ``x``."""
    a_as_o: Tally = NO_GAMES
    """Player a's results in the others."""
    a_forfeits: int = 0
    """Games that player a lost by a failure, not on the board."""
    b_forfeits: int = 0
    """Games that player b lost by a failure."""

    @property
    def a(self) -> Tally:
        """All games, seen by player a."""
        return self.a_as_x + self.a_as_o

    @property
    def x(self) -> Tally:
        """All games, seen by the side that had ``x``."""
        return self.a_as_x + self.a_as_o.reversed()

    @property
    def games(self) -> int:
        """Games that are stored."""
        return self.a.games


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """Everything about a match but its games."""

    id: int
    """Its number."""
    origin: Origin
    """Where its games come from."""
    job_id: int | None
    """The job that plays it, alone or with the other matches of a tournament."""
    label: str | None
    """A name for people; of an imported match the name of its file."""
    terms: MatchTerms
    """The terms. Those of an imported match only have the players' names and the number of
    games."""
    created_at: float
    """Epoch seconds on the database's clock."""
    verdict: str | None
    """The sequential test's decision, ``"H0"`` or ``"H1"``; None while it is open."""
    is_whole: bool
    """False while an import is under way, or if it was interrupted."""
    job_state: JobState | None
    """The state of its job; None without a job."""
    tally: MatchTally
    """Its results so far."""

    @property
    def is_finished(self) -> bool:
        """Whether all its games are stored, so that none will be added."""
        if self.origin is Origin.IMPORTED:
            return self.is_whole
        return self.verdict is not None or self.tally.games == self.terms.games


@dataclass(frozen=True, slots=True, eq=False)
class MatchResults:
    """The games of a match as arrays, in the order of their numbers; without their moves."""

    number: NDArray[np.int64]
    """The games' numbers; a match that is being played may have gaps."""
    a_result: NDArray[np.int8]
    """1 where player a won, -1 where it lost, 0 for a draw."""
    a_is_x: NDArray[np.bool_]
    """Whether player a had ``x``."""
    length: NDArray[np.int16]
    """Moves."""
    a_seconds: NDArray[np.float64]
    """What player a's moves took."""
    b_seconds: NDArray[np.float64]
    """What player b's moves took."""
    is_forfeit: NDArray[np.bool_]
    """Whether it was lost by a failure."""
    distinct: int
    """The number of games that differ in their moves, or in their grids if only those are known."""

    def __len__(self) -> int:
        """Games."""
        return len(self.number)
