"""Matches as callers see them: the terms that decide which games are played, and the results.

A match consists of games between two players, ``a`` and ``b``. ``x`` is the side that moves first
from the empty board, ``o`` the other.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Self

from c4core.arena.game import NO_CLOCK, TimeControl
from c4core.arena.statistics import Sprt, Tally
from c4core.notation import BoardSize, parse_board
from c4core.position import Position
from db.errors import DamagedValueError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from db.records.jobs import JobState, Json

FORM: Final = 1
"""Format version of terms as JSON. They contain it, so that other versions are recognized."""

NO_GAMES: Final = Tally(0, 0)


class Seats(StrEnum):
    """The rule that gives one of the players ``x``."""

    FIXED = "fixed"
    """Player a has ``x`` in all games."""
    ALTERNATE = "alternate"
    """Player a has ``x`` in games 0, 2, 4, ..., player b in the others."""
    RANDOM = "random"
    """Each game's seed decides which player has ``x``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTerms:
    """All parameters that decide which games are played: the same terms give the same games."""

    player_a: str
    """The description of player a, with every parameter."""
    player_b: str
    """The description of player b, with every parameter."""
    games: int
    """Number of games; with a sequential test, the maximum."""
    seats: Seats = Seats.FIXED
    seed: int = 0
    """The seed of everything random, 0 <= seed < 2**64."""
    start: Position = field(default_factory=Position)
    """The initial position of every game; its board is the board of all games."""
    time_control: TimeControl = NO_CLOCK
    """Limits for moves and games."""
    lenient: bool = False
    """Whether an illegal column is replaced by the leftmost open one, instead of losing."""
    sprt: Sprt | None = None
    """The sequential test of player a's strength, which may end the match early."""
    corpus: tuple[int, ...] = ()
    """The numbers of the matches whose games players may look up; ascending."""

    @property
    def board(self) -> BoardSize:
        """The board of all games."""
        return self.start.board

    def as_json(self) -> Json:
        """Return the terms as JSON; equal terms give the same text."""
        control = self.time_control
        times = {"move": control.move, "game": control.game}
        limits = {name: seconds for name, seconds in times.items() if seconds is not None}
        return {
            "form": FORM,
            "a": self.player_a,
            "b": self.player_b,
            "games": self.games,
            "seats": self.seats.value,
            "seed": self.seed,
            "board": str(self.board),
            "start": self.start.key,
            **({"time": limits | {"grace": control.grace}} if limits else {}),
            **({"lenient": True} if self.lenient else {}),
            **({} if self.sprt is None else {"sprt": asdict(self.sprt)}),
            **({"corpus": list(self.corpus)} if self.corpus else {}),
        }

    @classmethod
    def from_json(cls, fields: Json) -> Self:
        """Return the terms that :meth:`as_json` wrote.

        Raises:
            DamagedValueError: they have another format version.
        """
        if fields.get("form") != FORM:
            raise DamagedValueError(f"terms of a match in an unknown form: {fields.get('form')!r}")
        board = parse_board(fields["board"])
        return cls(
            player_a=fields["a"],
            player_b=fields["b"],
            games=fields["games"],
            seats=Seats(fields["seats"]),
            seed=fields["seed"],
            start=Position.from_key(fields["start"], board=board),
            time_control=TimeControl(**fields["time"]) if "time" in fields else NO_CLOCK,
            lenient=fields.get("lenient", False),
            sprt=_read_test(fields.get("sprt")),
            corpus=tuple(fields.get("corpus", ())),
        )


def _read_test(fields: Json | None) -> Sprt | None:
    """A stored sequential test; None if there is none.

    It is also None if an older version accepted limits that are refused now: the games can still be
    read, but the test cannot be computed.
    """
    if fields is None:
        return None
    try:
        return Sprt(**fields)
    except ValueError:
        return None


class Origin(StrEnum):
    """The source of the games of a match."""

    PLAYED = "played"
    """A job has played them, or will."""
    IMPORTED = "imported"
    """They were read from a file."""


@dataclass(frozen=True, slots=True)
class MatchTally:
    """The results of a match so far."""

    a_as_x: Tally = NO_GAMES
    """Player a's results in games in which it had ``x``."""
    a_as_o: Tally = NO_GAMES
    """Player a's results in games in which it had ``o``."""
    a_forfeits: int = 0
    """Games that player a lost by a failure, not on the board."""
    b_forfeits: int = 0
    """Games that player b lost by a failure."""

    @property
    def a(self) -> Tally:
        """The results of all games for player a."""
        return self.a_as_x + self.a_as_o

    @property
    def x(self) -> Tally:
        """The results of all games for the side that had ``x``."""
        return self.a_as_x + self.a_as_o.reversed()

    @property
    def games(self) -> int:
        """The number of finished games."""
        return self.a.games


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """All information about a match except its games."""

    id: int
    origin: Origin
    job_id: int | None
    """The job that plays it, alone or with the other matches of a tournament."""
    label: str | None
    """A name for users; for an imported match the name of its file."""
    terms: MatchTerms
    """The terms; of an imported match only the players' names and the number of games."""
    created_at: float
    """Epoch seconds on the database's clock."""
    verdict: str | None
    """The sequential test's decision, ``"H0"`` or ``"H1"``; None while it is open."""
    is_whole: bool
    """False while an import is under way, or if it was interrupted."""
    job_state: JobState | None
    """The state of its job; None without a job."""
    tally: MatchTally
    """The results so far."""

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
    """1 if player a won, -1 if it lost, 0 for a draw."""
    a_is_x: NDArray[np.bool_]
    """Whether player a had ``x``."""
    length: NDArray[np.int16]
    """Number of moves."""
    a_seconds: NDArray[np.float64]
    """Total time of player a's moves."""
    b_seconds: NDArray[np.float64]
    """Total time of player b's moves."""
    is_forfeit: NDArray[np.bool_]
    """Whether a player lost the game by a failure."""
    distinct: int
    """Number of games that differ in their moves, or in their grids if only these are known."""

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.number)
