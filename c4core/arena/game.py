"""A game between two players: whose turn it is, what a move may cost, and how a game can end.

The rules of the game are :class:`~c4core.position.Position`'s; those of the arena are these. The
first player of a game moves with ``x``. A player that chooses an illegal column, raises, takes too
long, or whose process dies loses that game; the reason is kept, and nothing is raised. It is not a
player's failure when the machine runs out of memory or files: that error is raised.

Everything random comes from the game's seed, by way of a seed for each side, so that what one
player draws does not change what the other draws.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from c4core.arena.answers import checked_column
from c4core.arena.clock import NO_CLOCK, Clock, TimeControl
from c4core.arena.seeds import seat_seed
from c4core.dice import Dice
from c4core.notation import format_moves
from c4core.players.errors import (
    Failing,
    PlayerFailure,
    ProgramRefusedError,
    StopPlaying,
    is_exhaustion,
)
from c4core.players.player import GameStart
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.players.player import Limits, Player
    from c4core.players.stopping import Stop
    from c4core.position import Side

Result = Literal["win", "loss", "draw"]

MAX_DETAIL: Final = 500
"""The first characters of a reason that are kept."""


class Ending(StrEnum):
    """How a game ended: on the board, because a player failed, or because people had enough."""

    FOUR = "four"
    """Somebody has four in a row."""
    FULL = "full"
    """The board is full: a draw."""
    ILLEGAL = Failing.ILLEGAL.value
    """The loser chose a column that is full or outside the board."""
    TIME = Failing.TIME.value
    """The loser took longer than it was allowed."""
    ERROR = Failing.ERROR.value
    """The loser raised an exception, or said that it cannot go on."""
    CRASH = Failing.CRASH.value
    """The loser's process could not be started, or ended by itself."""
    NONSENSE = Failing.NONSENSE.value
    """What the loser answered is no column."""
    RESIGNED = "resigned"
    """The loser, a person, gave up."""
    UNFINISHED = "unfinished"
    """The game was left before its end; nobody has won, and it does not count."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game that is over."""

    first: str
    """The description of the player that had ``x``, with every parameter."""
    second: str
    """The description of the player that had ``o``."""
    seed: int
    """The seed of all random choices."""
    start: Position
    """The position that they began from."""
    columns: tuple[int, ...]
    """The moves from there on, 0-based."""
    winner: Side | None
    """Who won, or None for a draw."""
    ending: Ending
    """How it ended."""
    detail: str = ""
    """How a player failed, for people."""
    seconds: tuple[float, ...] = ()
    """Seconds of every move; after a failure also those of the move that failed."""
    replaced: tuple[int, ...] = ()
    """The moves (0-based) that were played in place of an illegal answer (``lenient``)."""

    @property
    def is_forfeit(self) -> bool:
        """Whether it was lost by a failure, not on the board."""
        return self.ending not in (Ending.FOUR, Ending.FULL)

    @property
    def moves(self) -> str:
        """The moves as text."""
        return format_moves(self.columns)

    @property
    def length(self) -> int:
        """Moves that were played."""
        return len(self.columns)

    def final(self) -> Position:
        """The position at the end."""
        position = self.start
        for column in self.columns:
            position = position.play(column)
        return position

    def seconds_of(self, side: Side) -> float:
        """Seconds that the moves of a side took together."""
        offset = 0 if self.start.turn == side else 1
        return sum(self.seconds[offset::2])


def play_game(
    first: Player,
    second: Player,
    *,
    seed: int = 0,
    time_control: TimeControl = NO_CLOCK,
    start: Position | None = None,
    lenient: bool = False,
    before_move: Callable[[], object] = lambda: None,
    stop: Stop | None = None,
    raises_faults: bool = False,
) -> GameRecord:
    """Play a game.

    Args:
        first: has ``x``, and moves first from the empty board.
        second: has ``o``; may be the same object, if it is no program.
        seed: the seed of all random choices.
        time_control: how long moves and games may take.
        start: the position to begin from (default: the empty 7x6 board).
        lenient: an illegal column does not lose the game: the leftmost open one is played instead.
        before_move: called before a player is asked; what it raises ends the game without a result
            and is raised, and the players are not told of an end.
        stop: ends the game without a result, also while a player thinks; None for never.
        raises_faults: raise what a player raises, unless it is a :class:`PlayerFailure`, instead of
            ending the game: for players whose errors are bugs of this program.

    Raises:
        StopPlaying: the stop came first.
        MemoryError, OSError, RuntimeError: this machine has run out of memory, processes, threads
            or open files.
        ValueError: the game is over in the start position already.
        ProgramRefusedError: a player is a program that nobody has consented to start.
    """
    game = _Game(
        first,
        second,
        seed,
        time_control,
        start or Position(),
        lenient=lenient,
        before_move=before_move,
        stop=stop,
        raises_faults=raises_faults,
    )
    return game.play()


class _Game:
    """A game that is being played."""

    def __init__(
        self,
        first: Player,
        second: Player,
        seed: int,
        time_control: TimeControl,
        start: Position,
        *,
        lenient: bool,
        before_move: Callable[[], object],
        stop: Stop | None,
        raises_faults: bool,
    ) -> None:
        if start.is_over:
            raise ValueError(f"the game is over in the start position already:\n{start}")
        self.players: dict[Side, Player] = {"x": first, "o": second}
        self.seeds: dict[Side, int] = {"x": seat_seed(seed, "x"), "o": seat_seed(seed, "o")}
        self.seed = seed
        self.clock = Clock(time_control, stop)
        self.stop = stop
        self.raises_faults = raises_faults
        self.start = start
        self.lenient = lenient
        self.before_move = before_move
        self.columns: list[int] = []
        self.seconds: list[float] = []
        self.replaced: list[int] = []

    def play(self) -> GameRecord:
        """Play to the end."""
        record = self._begin() or self._moves()
        for side, player in self.players.items():
            # The game is decided. A player that is broken now fails in the next one.
            with contextlib.suppress(Exception):
                player.end(_result_for(side, record.winner))
        return record

    def _begin(self) -> GameRecord | None:
        """Tell both players. Returns the game if one of them has failed and lost it."""
        for side, player in self.players.items():
            try:
                player.begin(GameStart(self.start.board, side, self.seeds[side], self.stop))
            except ProgramRefusedError:
                raise
            except Exception as error:
                if not self._is_own_failure(error):
                    raise
                return self._failed(side, error)
        return None

    def _moves(self) -> GameRecord:
        """All moves, once both players have begun."""
        position, over = self.start, False
        dice = {side: Dice(seed) for side, seed in self.seeds.items()}
        while not over:
            side = position.turn
            self.before_move()
            if self.stop is not None:
                self.stop.check()
            try:
                column = self._ask(self.players[side], position, dice[side])
            except Exception as error:
                if not self._is_own_failure(error):
                    raise
                return self._failed(side, error)
            self.columns.append(column)
            position = position.play(column)
            over = position.is_over
        winner = position.winner
        return self._record(winner, Ending.FULL if winner is None else Ending.FOUR)

    def _ask(self, player: Player, position: Position, dice: Dice) -> int:
        """A legal column.

        Raises:
            PlayerFailure: the player has none, or none in time.
            StopPlaying: the game is to stop.
        """
        limits = self.clock.limits(position.turn)
        begun = time.perf_counter()
        try:
            answer = player.choose(position, dice, limits)
        except StopPlaying as stopped:
            is_late = limits.stop is not None and limits.stop.is_over
            if stopped.error is not None or not is_late or self._is_stopped():
                raise
            raise _too_late(time.perf_counter() - begun, limits) from None
        finally:
            taken = time.perf_counter() - begun
            self.seconds.append(taken)
        if self.clock.take(position.turn, taken):
            raise _too_late(taken, limits)
        try:
            return checked_column(answer, position)
        except PlayerFailure as failure:
            if not self.lenient or failure.failing is not Failing.ILLEGAL:
                raise
        self.replaced.append(len(self.columns))
        return position.legal_columns()[0]

    def _is_stopped(self) -> bool:
        return self.stop is not None and self.stop.is_over

    def _is_own_failure(self, error: Exception) -> bool:
        """Whether the player loses the game by this error."""
        if isinstance(error, PlayerFailure):
            return True
        return not (self.raises_faults or is_exhaustion(error))

    def _failed(self, loser: Side, error: Exception) -> GameRecord:
        """The game that a player has lost by an error."""
        if isinstance(error, PlayerFailure):
            return self._forfeit(loser, error.failing, str(error))
        return self._forfeit(loser, Failing.ERROR, f"{type(error).__name__}: {error}")

    def _forfeit(self, loser: Side, failing: Failing, detail: str) -> GameRecord:
        return self._record("o" if loser == "x" else "x", Ending(failing.value), detail)

    def _record(self, winner: Side | None, ending: Ending, detail: str = "") -> GameRecord:
        return GameRecord(
            first=self.players["x"].kind.spec_of(self.players["x"]).full,
            second=self.players["o"].kind.spec_of(self.players["o"]).full,
            seed=self.seed,
            start=self.start,
            columns=tuple(self.columns),
            winner=winner,
            ending=ending,
            detail=detail[:MAX_DETAIL],
            seconds=tuple(self.seconds),
            replaced=tuple(self.replaced),
        )


def _too_late(taken: float, limits: Limits) -> PlayerFailure:
    return PlayerFailure(
        Failing.TIME, f"took {taken:.3f} s, {limits.seconds or 0.0:.3f} s were left"
    )


def _result_for(side: Side, winner: Side | None) -> Result:
    if winner is None:
        return "draw"
    return "win" if winner == side else "loss"
