"""A game between two players: turns, time limits, and the ways in which a game can end.

:class:`~c4core.position.Position` has the rules of Connect Four; this module has the rules of the
arena. The first player of a game moves with ``x``. A player loses the game if it chooses an illegal
column, raises an exception or takes too long, or if its process dies. The reason is kept, and
nothing is raised. If the machine runs out of memory or files, no player has failed, and the error
is raised.

All randomness comes from the game's seed. Each side derives its own seed from it, so that one
player's random draws do not change the other's.

The seeds of matches, games and sides depend only on a parent seed and on a name or number. A game
is therefore the same on every worker and in every order. The random draws of different games are
independent.
"""

from __future__ import annotations

import contextlib
import hashlib
import operator
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal, SupportsIndex

from c4core.dice import Dice
from c4core.notation import format_moves
from c4core.players.errors import (
    Failing,
    PlayerFailure,
    ProgramRefusedError,
    StopPlaying,
    is_exhaustion,
)
from c4core.players.player import NO_LIMITS, GameStart, Limits
from c4core.players.stopping import Stop
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.players.player import Player
    from c4core.position import Side

Result = Literal["win", "loss", "draw"]

MAX_DETAIL: Final = 500
"""The maximum length of a failure's reason, in characters."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Time limits of moves and games, in wall-clock seconds.

    Raises:
        ValueError: a time is not positive.
    """

    move: float | None = None
    """Seconds for each move; None for no limit."""
    game: float | None = None
    """Seconds for all moves of a player together; None for no limit."""
    grace: float = 0.1
    """Seconds by which a move may exceed its limit without losing the game."""

    def __post_init__(self) -> None:
        for name in ("move", "game"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"time for a {name} must be positive, not {seconds}")
        if not self.grace >= 0:
            raise ValueError(f"the grace time cannot be negative: {self.grace}")

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return self.move is not None or self.game is not None


NO_CLOCK: Final = TimeControl()


class Ending(StrEnum):
    """The way in which a game ended: on the board, by a failure, or because a person gave up."""

    FOUR = "four"
    """A side has four in a row."""
    FULL = "full"
    """The board is full: a draw."""
    ILLEGAL = Failing.ILLEGAL.value
    """The loser chose a column that is full or outside the board."""
    TIME = Failing.TIME.value
    """The loser exceeded its time limit."""
    ERROR = Failing.ERROR.value
    """The loser raised an exception, or reported that it cannot go on."""
    CRASH = Failing.CRASH.value
    """The loser's process could not be started, or ended by itself."""
    NONSENSE = Failing.NONSENSE.value
    """The loser's answer is not a column."""
    RESIGNED = "resigned"
    """The loser, a person, gave up."""
    UNFINISHED = "unfinished"
    """The game was abandoned: it has no winner and does not count."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game."""

    first: str
    """The description of the player with ``x``, with every parameter."""
    second: str
    """The description of the player with ``o``, with every parameter."""
    seed: int
    """The seed of all random choices."""
    start: Position
    """The position that the game began from."""
    columns: tuple[int, ...]
    """The 0-based columns that were played from the start on."""
    winner: Side | None
    """The side that won; None for a draw."""
    ending: Ending
    """The way in which the game ended."""
    detail: str = ""
    """A description of a player's failure, for people."""
    seconds: tuple[float, ...] = ()
    """Seconds that each move took, including a move that failed."""
    replaced: tuple[int, ...] = ()
    """The 0-based numbers of the moves played in place of an illegal answer (``lenient``)."""

    @property
    def is_forfeit(self) -> bool:
        """Whether the game was lost by a failure, and not on the board."""
        return self.ending not in (Ending.FOUR, Ending.FULL)

    @property
    def moves(self) -> str:
        """The moves as text."""
        return format_moves(self.columns)

    @property
    def length(self) -> int:
        """The number of moves that were played."""
        return len(self.columns)

    def final(self) -> Position:
        """Return the position at the end."""
        position = self.start
        for column in self.columns:
            position = position.play(column)
        return position

    def seconds_of(self, side: Side) -> float:
        """Return the seconds that all moves of a side took."""
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
        first: the player with ``x``, which moves first from the empty board.
        second: the player with ``o``; it may be the same object, unless it is a program.
        seed: the seed of all random choices.
        time_control: how long moves and games may take.
        start: the position to begin from (default: the empty 7x6 board).
        lenient: play the leftmost open column in place of an illegal one, which otherwise loses.
        before_move: called before each move. An exception that it raises ends the game without a
            result and is passed on; ``Player.end`` is then not called.
        stop: ends the game without a result when it is set, even while a player thinks; None if it
            is never set.
        raises_faults: pass on a player's exceptions, except :class:`PlayerFailure`, instead of
            ending the game. Use this for players whose errors are bugs of this program.

    Raises:
        StopPlaying: the stop was set before the end of the game.
        MemoryError, OSError, RuntimeError: this machine has run out of memory, processes, threads
            or open files.
        ValueError: the game is already over in the start position.
        ProgramRefusedError: a player is a program without consent to start it.
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
    """A game in progress."""

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
            raise ValueError(f"the game is already over in the start position:\n{start}")
        self.players: dict[Side, Player] = {"x": first, "o": second}
        self.seeds: dict[Side, int] = {"x": side_seed(seed, "x"), "o": side_seed(seed, "o")}
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
            # The result is final. A player that is broken now will fail in the next game.
            with contextlib.suppress(Exception):
                player.end(_result_for(side, record.winner))
        return record

    def _begin(self) -> GameRecord | None:
        """Tell both players that the game begins. Returns the lost game if one of them fails."""
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
        """Play all moves of a game that both players have begun."""
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
        """Ask a player for a legal column.

        Raises:
            PlayerFailure: the player does not give a legal column in time.
            StopPlaying: the game's stop was set.
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
        """Whether this error makes the player lose the game."""
        if isinstance(error, PlayerFailure):
            return True
        return not (self.raises_faults or is_exhaustion(error))

    def _failed(self, loser: Side, error: Exception) -> GameRecord:
        """Return the game that a player lost by an error."""
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


def checked_column(answer: SupportsIndex, position: Position) -> int:
    """Check that a player's answer is a 0-based column that can be played, and return it.

    Args:
        answer: the player's answer.
        position: the position in which the column is played.

    Raises:
        PlayerFailure: the answer is not a column, or the column cannot be played.
    """
    try:
        column = operator.index(answer)  # a player's annotations may be wrong
    except TypeError:
        raise PlayerFailure(Failing.NONSENSE, f"answered {answer!r}") from None
    if not 0 <= column < position.width:
        raise PlayerFailure(Failing.ILLEGAL, f"column {column + 1} is outside the board")
    if not position.is_legal(column):
        raise PlayerFailure(Failing.ILLEGAL, f"column {column + 1} is full")
    return column


def _too_late(taken: float, limits: Limits) -> PlayerFailure:
    return PlayerFailure(
        Failing.TIME, f"took {taken:.3f} s, {limits.seconds or 0.0:.3f} s were left"
    )


def _result_for(side: Side, winner: Side | None) -> Result:
    if winner is None:
        return "draw"
    return "win" if winner == side else "loss"


class Clock:
    """The time that both players have left in a game.

    Args:
        control: the time limits.
        stop: ends all moves when it is set; None if it is never set.
    """

    def __init__(self, control: TimeControl, stop: Stop | None = None) -> None:
        self._control = control
        self._stop = stop
        self._unlimited = NO_LIMITS if stop is None else Limits(stop=stop)
        self._used: dict[Side, float] = {"x": 0.0, "o": 0.0}

    def limits(self, side: Side) -> Limits:
        """Return the limits of a player's next move, which begins now.

        Their stop ends the move when its time is up.
        """
        seconds = self._seconds(side)
        if seconds is None:
            return self._unlimited
        grace = self._control.grace
        return Limits(seconds, grace, (self._stop or Stop()).within(seconds + grace))

    def take(self, side: Side, seconds: float) -> bool:
        """Deduct the time of a move. Returns whether the move took too long."""
        allowed = self._seconds(side)
        self._used[side] += seconds
        return allowed is not None and seconds > allowed + self._control.grace

    def _seconds(self, side: Side) -> float | None:
        """Return the seconds for a player's next move; None for no limit."""
        move, game = self._control.move, self._control.game
        if game is None:
            return move
        left = max(game - self._used[side], 0.0)
        return left if move is None else min(move, left)


def match_seed(tournament_seed: int, player_a: str, player_b: str) -> int:
    """Derive the seed of a match in a tournament. It does not depend on the other players.

    Args:
        tournament_seed: any whole number.
        player_a: the description of one player, with every parameter.
        player_b: the description of the other player, with every parameter.
    """
    return _derived(f"match {tournament_seed} {player_a} {player_b}")


def game_seed(match_seed: int, number: int) -> int:
    """Derive the seed of a game in a match.

    Args:
        match_seed: any whole number.
        number: the game's number in the match.
    """
    return _derived(f"game {match_seed} {number}")


def side_seed(game_seed: int, side: Side) -> int:
    """Derive the seed of a player in a game."""
    return _derived(f"seat {game_seed} {side}")


def _derived(text: str) -> int:
    """Hash a text to 64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
