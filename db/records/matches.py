"""What a match has come to: a tally, or every game as a number in an array."""

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
    """A job has played them, or is to."""
    IMPORTED = "imported"
    """A file."""


@dataclass(frozen=True, slots=True)
class MatchTally:
    """What the games of a match have come to so far."""

    a_as_x: Tally = NO_GAMES
    """Player a's results in games in which it had ``x``."""
    a_as_o: Tally = NO_GAMES
    """Player a's results in the others."""
    a_forfeits: int = 0
    """Games that player a lost by a failure, not on the board."""
    b_forfeits: int = 0
    """Games that player b lost so."""

    @property
    def a(self) -> Tally:
        """All games, seen by player a."""
        x, o = self.a_as_x, self.a_as_o
        return Tally(x.wins + o.wins, x.losses + o.losses, x.draws + o.draws)

    @property
    def x(self) -> Tally:
        """All games, seen by the side that had ``x``."""
        x, o = self.a_as_x, self.a_as_o.reversed()
        return Tally(x.wins + o.wins, x.losses + o.losses, x.draws + o.draws)

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
    """What was agreed. Of an imported match: the players' names and the number of games."""
    created_at: float
    """Epoch seconds on the database's clock."""
    verdict: str | None
    """What the sequential test has decided, ``"H0"`` or ``"H1"``; None while it has not."""
    is_whole: bool
    """False while an import is under way, or if it was interrupted."""
    job_state: JobState | None
    """Where its job stands; None without a job."""
    tally: MatchTally
    """What its games have come to so far."""

    @property
    def is_finished(self) -> bool:
        """Whether every game that belongs to it is stored: nothing will be added any more."""
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
    """How many different games there are: other moves, or, where only final grids are known, other
    grids."""

    def __len__(self) -> int:
        """Games."""
        return len(self.number)
