"""What a player is: it sees a position and names a column.

A player is a value: its class says how it plays, its fields are its parameters. It keeps nothing
from one move to the next, so one player can sit on both sides of a board and in many games;
whatever is random comes from the dice that it is handed. Players that run a process of their own
are the exception: they are told when a game begins and ends, and must be closed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, Self

if TYPE_CHECKING:
    from c4core.dice import Dice
    from c4core.notation import BoardSize
    from c4core.players.kinds import PlayerKind
    from c4core.players.stopping import Stop
    from c4core.position import Position, Side


@dataclass(frozen=True, slots=True)
class Limits:
    """What a player may spend on a move."""

    seconds: float | None = None
    """Wall-clock seconds; None for as many as it likes."""
    grace: float = 0.0
    """Seconds more before it is called too late: the way from and to a process takes time."""
    stop: Stop | None = field(default=None, compare=False, repr=False)
    """Says when nobody waits for the move any more; None: somebody always does."""

    def at_most(self, seconds: float | None) -> float | None:
        """The smaller one of these seconds and some others."""
        if self.seconds is None or seconds is None:
            return self.seconds if seconds is None else seconds
        return min(self.seconds, seconds)


NO_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class GameStart:
    """What a player is told before the first move."""

    board: BoardSize
    """The board's size."""
    side: Side
    """The side that it plays."""
    seed: int
    """Where its random choices start from."""
    stop: Stop | None = field(default=None, compare=False, repr=False)
    """Says when nobody waits for the player to be ready any more; None: somebody always does."""


class Player(ABC):
    """Chooses a column in any position, for either side."""

    kind: ClassVar[PlayerKind]
    """Its entry in the registry."""
    needs_files: ClassVar[bool] = False
    """Whether it is made of files of this machine, which other machines may not have."""
    is_program: ClassVar[bool] = False
    """Whether it starts a process, which needs consent."""

    def __post_init__(self) -> None:
        """Check the parameters.

        Raises:
            PlayerError: a value is not allowed.
        """
        self.kind.check(self)

    @abstractmethod
    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play.

        Args:
            position: not over; its side to move is the player's.
            dice: where all random choices come from: the same draws give the same move.
            limits: of this move. Whatever may take longer than a tenth of a second looks now and
                then whether ``limits.stop`` is over.

        Raises:
            PlayerFailure: it cannot go on with this game.
            StopPlaying: the stop came first.
        """

    @property
    def is_random(self) -> bool:
        """Whether its moves depend on the dice."""
        return False

    @property
    def is_timed(self) -> bool:
        """Whether its moves depend on the speed of the machine."""
        return False

    def check_board(self, board: BoardSize) -> None:  # noqa: B027  (most play on all of them)
        """Look whether it plays on a board, before a game is planned.

        Raises:
            PlayerError: it does not.
        """

    def begin(self, game: GameStart) -> None:  # noqa: B027  (most players do nothing)
        """A game begins.

        Raises:
            PlayerFailure: it cannot take part.
            StopPlaying: the game's stop came first.
        """

    def end(self, result: str) -> None:  # noqa: B027
        """The game is over: ``"win"``, ``"loss"`` or ``"draw"`` for this player."""

    def abandon(self) -> None:  # noqa: B027
        """End what it does without waiting: it is closed next, and nobody cares how."""

    def close(self) -> None:  # noqa: B027
        """Give back what it holds; a later game may open it again."""

    def __enter__(self) -> Self:
        """Use the player in a ``with`` statement, which closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the player."""
        self.close()

    def __str__(self) -> str:
        """Its description, as :func:`c4core.players.parse_player` reads it."""
        return self.kind.spec_of(self).text


def columns_from_centre(width: int) -> tuple[int, ...]:
    """All columns by their distance from the middle, the left one of two first: 3,2,4,1,5,0,6."""
    return tuple(sorted(range(width), key=lambda column: (abs(2 * column - (width - 1)), column)))


def sides_of(position: Position) -> tuple[Side, Side]:
    """The side to move and its opponent."""
    return ("x", "o") if position.turn == "x" else ("o", "x")
