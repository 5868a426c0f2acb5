"""A running game as a value, and who plays it: each move, and each undo, makes a new one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.arena.files import GameEntry, empty_board, ending_on_board
from c4core.arena.game import Ending, game_seed, seat_seed
from c4core.notation import DEFAULT_BOARD, BoardSize, format_moves
from c4core.players.errors import PlayerError
from c4core.players.player import NO_PROGRAM, Consent
from c4core.players.registry import LEVELS, parse_player, player_kinds
from c4core.position import Position

if TYPE_CHECKING:
    from c4core.players.player import PlayerSpec
    from c4core.position import Side

HUMAN: Final = "human"


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a side."""

    name: str
    """The name that people see: ``human``, a level, or a player's shortest description."""
    spec: PlayerSpec | None = None
    """The player; None for a person."""
    programs: Consent = field(default=NO_PROGRAM, compare=False)
    """Which programs may be started."""

    @property
    def is_human(self) -> bool:
        """Whether somebody at the terminal plays it."""
        return self.spec is None

    @property
    def is_program(self) -> bool:
        """Whether the player is a program."""
        return self.spec is not None and self.spec.kind.cls.is_program

    @property
    def text(self) -> str:
        """A text that :func:`read_seat` reads as the same seat, even when defaults change."""
        if self.spec is None or self.name in LEVELS:
            return self.name
        return self.spec.full

    @property
    def description(self) -> str:
        """The full description: ``human``, or a player with every parameter."""
        return self.name if self.spec is None else self.spec.full

    def check_consent(self) -> None:
        """Check that the player may be started, if it is a program."""
        if self.is_program:
            self.programs.check(self.text)

    def check_board(self, board: BoardSize) -> None:
        """Check that the player plays on a board."""
        if self.spec is not None:
            self.spec.make().check_board(board)


def read_seat(text: str, *, programs: Consent = NO_PROGRAM) -> Seat:
    """Read who plays a side: ``human``, a level, or a player's description.

    Args:
        text: the description.
        programs: which programs may be started; any if the person at the terminal typed the text.
    """
    name = text.strip()
    if name == HUMAN:
        return Seat(HUMAN)
    if name in LEVELS:
        return Seat(name, parse_player(name))
    try:
        spec = parse_player(name)
    except PlayerError as error:
        if error.player in {kind.name for kind in player_kinds()}:
            raise
        others = ", ".join((HUMAN, *LEVELS))
        raise PlayerError(f"neither {others}, nor a player: {error}", player=name) from None
    return Seat(spec.text, spec, programs)


def choices() -> list[tuple[str, str]]:
    """The choices of a list: for each a line for people, and the text that names it.

    Players that need more than their name are left out.
    """
    levels = [(f"{name}: {player.partition(':')[0]}", name) for name, player in LEVELS.items()]
    players = [
        (f"{kind.name}: {kind.summary.rstrip('.')}", kind.name)
        for kind in player_kinds()
        if kind.stands_alone
    ]
    return [("human: somebody at this terminal", HUMAN), *levels, *players]


class Forfeit(NamedTuple):
    """How a player has lost off the board."""

    loser: Side
    """The player's side."""
    reason: str
    """What happened, for people."""
    ending: Ending = Ending.ERROR
    """Which kind of failure it is, or that a person has resigned."""


@dataclass(frozen=True, slots=True)
class Game:
    """Two players and their moves.

    Raises:
        MoveError: the columns cannot be played.
    """

    first: Seat
    """Plays ``x``, and moves first."""
    second: Seat
    """Plays ``o``."""
    seed: int = 0
    """The seed of all random choices."""
    board: BoardSize = DEFAULT_BOARD
    """Columns and rows."""
    columns: tuple[int, ...] = ()
    """The moves so far, 0-based."""
    failure: Forfeit | None = None
    """Why a player has lost that could not go on, or resigned."""
    position: Position = field(init=False, compare=False, repr=False)
    """The stones on the board."""

    def __post_init__(self) -> None:
        """Play the moves."""
        width, height = self.board
        position = Position.from_columns(self.columns, width=width, height=height)
        object.__setattr__(self, "position", position)

    @property
    def moves(self) -> str:
        """The moves as text."""
        return format_moves(self.columns)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, on the board or by a failure."""
        return self.failure is not None or self.position.is_over

    @property
    def winner(self) -> Side | None:
        """Who has won; None while nobody has."""
        if self.failure is not None:
            return _other(self.failure.loser)
        return self.position.winner

    @property
    def seat_to_move(self) -> Seat:
        """The player whose turn it is, or would be."""
        return self._seat_at(len(self.columns))

    @property
    def awaits_person(self) -> bool:
        """Whether somebody at the terminal is to move."""
        return not self.is_over and self.seat_to_move.is_human

    @property
    def awaits_computer(self) -> bool:
        """Whether a player of the computer is to move."""
        return not self.is_over and not self.seat_to_move.is_human

    @property
    def has_person(self) -> bool:
        """Whether somebody at the terminal plays at all."""
        return self.first.is_human or self.second.is_human

    @property
    def move_seed(self) -> int:
        """The seed of the next move.

        Each move has a seed of its own, so that a game goes on in the same way after an undo,
        or when it was saved and resumed.
        """
        return seat_seed(game_seed(self.seed, len(self.columns)), self.position.turn)

    def seat(self, side: Side) -> Seat:
        """The player of a side."""
        return self.first if side == "x" else self.second

    def played(self, column: int) -> Game:
        """The game after one more move.

        Raises:
            MoveError: the column cannot be played.
        """
        return replace(self, columns=(*self.columns, column))

    def failed(self, reason: str, ending: Ending = Ending.ERROR) -> Game:
        """The game after the player to move has failed, which loses it."""
        return replace(self, failure=Forfeit(self.position.turn, reason, ending))

    def resigned(self) -> Game:
        """The game after a person has resigned: the one to move, or else the only one."""
        turn = self.position.turn
        loser = turn if self.seat_to_move.is_human else _other(turn)
        return replace(self, failure=Forfeit(loser, "", Ending.RESIGNED))

    @property
    def ending(self) -> Ending:
        """How the game has ended, or that it is unfinished."""
        if self.failure is not None:
            return self.failure.ending
        if not self.position.is_over:
            return Ending.UNFINISHED
        return ending_on_board(self.position, self.position.winner)

    def entry(self) -> GameEntry:
        """The game as an entry of a file of games.

        It has no seed: every move at the terminal has a seed of its own, so a match with one seed
        cannot repeat the game.
        """
        return GameEntry(
            start=empty_board(self.board),
            moves=self.moves,
            final=self.position,
            winner=self.winner,
            ending=self.ending,
            first=self.first.description,
            second=self.second.description,
            detail="" if self.failure is None else self.failure.reason,
        )

    def taken_back(self) -> Game | None:
        """The game before the last move of a person, or before the last move if no person plays.

        If a person has resigned, only that is undone. None if there is nothing to undo.
        """
        if self.failure is not None and self.failure.ending is Ending.RESIGNED:
            return replace(self, failure=None)
        for length in reversed(range(len(self.columns))):
            if self._seat_at(length).is_human or not self.has_person:
                return replace(self, columns=self.columns[:length], failure=None)
        return None

    def anew(self, first: Seat, second: Seat) -> Game:
        """A new game of two players on this board, with another seed."""
        return Game(first, second, game_seed(self.seed, -1), self.board)

    def outcome(self) -> str:
        """One sentence: whose turn it is, or how the game ended.

        ``x to move (human)``, ``o has won (hard)``, ``a draw: the board is full``
        """
        if self.failure is not None:
            loser, reason, ending = self.failure
            how = "resigned" if ending is Ending.RESIGNED else f"failed: {reason}"
            return f"{self.winner} has won: {loser} ({self.seat(loser).name}) {how}"
        if self.winner is not None:
            return f"{self.winner} has won ({self.seat(self.winner).name})"
        if self.is_over:
            return "a draw: the board is full"
        return f"{self.position.turn} to move ({self.seat_to_move.name})"

    def _seat_at(self, ply: int) -> Seat:
        return self.second if ply % 2 else self.first


def _other(side: Side) -> Side:
    return "o" if side == "x" else "x"
