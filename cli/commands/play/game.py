"""A game and its players as immutable values, the file that keeps a game, and how to play.

Each move and each undo makes a new game. The file is JSON with the fields needed to play on::

    {"format": "c4-play", "version": 1, "board": "7x6", "first": "human", "second": "hard",
     "seed": 4711, "moves": "4453"}

If a player has failed or resigned, it also has
``"failure": {"loser": "o", "reason": "..", "ending": "crash"}``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import platformdirs

from c4core.arena.files import GameEntry, empty_board, ending_on_board
from c4core.arena.game import Ending, game_seed, side_seed
from c4core.errors import C4Error
from c4core.files import atomic_file
from c4core.lines import read_json
from c4core.notation import DEFAULT_BOARD, BoardSize, format_moves, parse_board, parse_moves
from c4core.players.errors import Failing, PlayerError
from c4core.players.player import NO_PROGRAM, Consent
from c4core.players.registry import LEVELS, parse_player, player_kinds
from c4core.position import Position

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.players.player import PlayerSpec
    from c4core.position import Side

HUMAN: Final = "human"


@dataclass(frozen=True, slots=True)
class Seat:
    """The player of a side."""

    name: str
    """The name shown: ``human``, a level, or a player's shortest description."""
    spec: PlayerSpec | None = None
    """The computer's player; None for a person."""
    programs: Consent = field(default=NO_PROGRAM, compare=False)
    """Programs that may be started."""

    @property
    def is_human(self) -> bool:
        """Whether a person at the terminal plays."""
        return self.spec is None

    @property
    def is_program(self) -> bool:
        """Whether the player is a program."""
        return self.spec is not None and self.spec.kind.cls.is_program

    @property
    def text(self) -> str:
        """A text that :func:`read_seat` reads as the same seat, even after defaults change."""
        if self.spec is None or self.name in LEVELS:
            return self.name
        return self.spec.full

    @property
    def description(self) -> str:
        """The complete description: ``human``, or a player with every parameter."""
        return self.name if self.spec is None else self.spec.full

    def check_consent(self) -> None:
        """Raise an error if the player is a program that may not be started."""
        if self.is_program:
            self.programs.check(self.text)

    def check_board(self, board: BoardSize) -> None:
        """Raise an error if the player does not support a board."""
        if self.spec is not None:
            self.spec.make().check_board(board)


def read_seat(text: str, *, programs: Consent = NO_PROGRAM) -> Seat:
    """Parse a player of a side: ``human``, a level, or a player's description.

    ``programs`` are the programs that may be started: all, if the person at the terminal typed the
    text.
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
        raise PlayerError(f"neither {others} nor a player: {error}", player=name) from None
    return Seat(spec.text, spec, programs)


def choices() -> list[tuple[str, str]]:
    """The entries of a list of players: a line to show, and the text that names the player.

    Players that need an argument or a parameter are left out.
    """
    levels = [(f"{name}: {level.about.rstrip('.')}", name) for name, level in LEVELS.items()]
    players = [
        (f"{kind.name}: {kind.summary.rstrip('.')}", kind.name)
        for kind in player_kinds()
        if kind.stands_alone
    ]
    return [("human: somebody at this terminal", HUMAN), *levels, *players]


class Forfeit(NamedTuple):
    """A loss by a failure or a resignation."""

    loser: Side
    reason: str
    ending: Ending = Ending.ERROR
    """The kind of failure, or that a person has resigned."""


@dataclass(frozen=True, slots=True)
class Game:
    """Two players and their moves.

    Raises:
        MoveError: a move is not legal.
    """

    first: Seat
    """The player of ``x``, who moves first."""
    second: Seat
    seed: int = 0
    board: BoardSize = DEFAULT_BOARD
    columns: tuple[int, ...] = ()
    """The moves so far, 0-based."""
    failure: Forfeit | None = None
    """The failure or resignation that ended the game."""
    position: Position = field(init=False, compare=False, repr=False)

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
        """Whether the game has ended, on the board or by a failure or a resignation."""
        return self.failure is not None or self.position.is_over

    @property
    def winner(self) -> Side | None:
        """The winner; None while nobody has won."""
        if self.failure is not None:
            return _other(self.failure.loser)
        return self.position.winner

    @property
    def seat_to_move(self) -> Seat:
        """The player to move, even if the game is over."""
        return self._seat_at(len(self.columns))

    @property
    def awaits_person(self) -> bool:
        """Whether a person is to move."""
        return not self.is_over and self.seat_to_move.is_human

    @property
    def awaits_computer(self) -> bool:
        """Whether a player of the computer is to move."""
        return not self.is_over and not self.seat_to_move.is_human

    @property
    def has_person(self) -> bool:
        """Whether a person plays on either side."""
        return self.first.is_human or self.second.is_human

    @property
    def move_seed(self) -> int:
        """The seed of the next move.

        Each move has its own seed, so that a game goes on in the same way after an undo, or after
        it was saved and resumed.
        """
        return side_seed(game_seed(self.seed, len(self.columns)), self.position.turn)

    def seat(self, side: Side) -> Seat:
        """The player of a side."""
        return self.first if side == "x" else self.second

    def played(self, column: int) -> Game:
        """The game after one more move; a full column raises MoveError."""
        return replace(self, columns=(*self.columns, column))

    def failed(self, reason: str, ending: Ending = Ending.ERROR) -> Game:
        """The game after the player to move has failed and lost."""
        return replace(self, failure=Forfeit(self.position.turn, reason, ending))

    def resigned(self) -> Game:
        """The game after a person has resigned: the one to move, or else the only one."""
        turn = self.position.turn
        loser = turn if self.seat_to_move.is_human else _other(turn)
        return replace(self, failure=Forfeit(loser, "", Ending.RESIGNED))

    @property
    def ending(self) -> Ending:
        """The kind of ending; :attr:`Ending.UNFINISHED` if the game is not over."""
        if self.failure is not None:
            return self.failure.ending
        if not self.position.is_over:
            return Ending.UNFINISHED
        return ending_on_board(self.position, self.position.winner)

    def entry(self) -> GameEntry:
        """The game as an entry of a file of games.

        It has no seed: every move at the terminal has its own, so a match with one seed cannot
        repeat the game.
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
        """The game before a person's last move, or before the last move if no person plays.

        If a person has resigned, only that is undone. None if there is nothing to undo.
        """
        if self.failure is not None and self.failure.ending is Ending.RESIGNED:
            return replace(self, failure=None)
        for length in reversed(range(len(self.columns))):
            if self._seat_at(length).is_human or not self.has_person:
                return replace(self, columns=self.columns[:length], failure=None)
        return None

    def anew(self, first: Seat, second: Seat) -> Game:
        """A new game of two players on the same board, with another seed."""
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


FORMAT: Final = "c4-play"
VERSION: Final = 1
MAX_BYTES: Final = 64 * 1024
"""A saved game is much smaller; a larger file is something else."""
FAILURES: Final = frozenset({*map(str, Failing), str(Ending.RESIGNED)})
"""Endings of games that are lost off the board."""


class SavedGameError(C4Error, ValueError):
    """A file is not a saved game, or not one that this version can read.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: not a saved game: {reason}")
        self.path = path


def default_file() -> Path:
    """The default file for a saved game; its directory is created if necessary."""
    return platformdirs.user_data_path("c4", ensure_exists=True) / "play.json"


def write_game(path: Path, game: Game) -> None:
    """Keep a game in a file, which is replaced only when the new one is complete."""
    fields: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "board": str(game.board),
        "first": game.first.text,
        "second": game.second.text,
        "seed": game.seed,
        "moves": game.moves,
    }
    if game.failure is not None:
        fields["failure"] = game.failure._asdict()
    with atomic_file(path) as beside:
        beside.write_text(json.dumps(fields) + "\n", encoding="utf-8")


def read_game(path: Path, *, programs: Consent = NO_PROGRAM) -> Game | None:
    """The game in a file; None if the file does not exist.

    Other content raises SavedGameError.
    """
    fields = _read_fields(path)
    if fields is None:
        return None
    if fields.get("version") != VERSION:
        raise SavedGameError(path, f"version {fields.get('version')!r}; this c4 reads {VERSION}")
    try:
        return _game_of(fields, programs)
    except KeyError as error:
        raise SavedGameError(path, f"field {error} is missing") from None
    except (C4Error, TypeError) as error:
        raise SavedGameError(path, str(error)) from None


def check_replaceable(path: Path) -> None:
    """Check that a game may replace a file: it is missing, empty or a saved game.

    A game that cannot be resumed, such as one of another version, may be replaced.
    """
    if path.exists() and path.stat().st_size:
        _read_fields(path)


def _read_fields(path: Path) -> dict[str, Any] | None:
    """The fields of a saved game of any version; None if the file does not exist.

    Other content raises SavedGameError.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(data) > MAX_BYTES:
        raise SavedGameError(path, "it is too large")
    try:
        fields = read_json(data)
    except ValueError as error:  # not text, or not JSON
        raise SavedGameError(path, f"it is not JSON ({error})") from None
    except RecursionError:
        raise SavedGameError(path, "it is nested too deeply") from None
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise SavedGameError(path, f'it has no "format": "{FORMAT}"')
    return fields


def _game_of(fields: dict[str, Any], programs: Consent) -> Game:
    board = parse_board(_typed(fields, "board", str))
    first, second = (
        read_seat(_typed(fields, name, str), programs=programs) for name in ("first", "second")
    )
    for seat in (first, second):
        seat.check_board(board)
    return Game(
        first,
        second,
        _typed(fields, "seed", int),
        board,
        parse_moves(_typed(fields, "moves", str), width=board.width),
        _failure_of(fields),
    )


def _failure_of(fields: dict[str, Any]) -> Forfeit | None:
    if "failure" not in fields:
        return None
    failure = _typed(fields, "failure", dict)
    loser, reason = _typed(failure, "loser", str), _typed(failure, "reason", str)
    if loser not in ("x", "o"):
        raise TypeError(f"field 'loser' cannot be {loser!r}")
    ending = _typed(failure, "ending", str)
    if ending not in FAILURES:
        raise TypeError(f"field 'ending' cannot be {ending!r}")
    return Forfeit("x" if loser == "x" else "o", reason, Ending(ending))


def _typed(fields: dict[str, Any], name: str, kind: type) -> Any:
    value = fields[name]
    if type(value) is not kind:
        raise TypeError(f"field {name!r} cannot be {value!r}")
    return value


RULES: Final = (
    "Take turns dropping a stone into a column; it falls onto the stones below. The first with "
    "four in a row, horizontal, vertical or diagonal, wins. A full board is a draw. x begins."
)

HINTS: Final = (
    "Hints are exact: the number below a column is the result of that move if both sides then play "
    "perfectly, for the side to move. Above 0 wins, 0 draws, below 0 loses; the larger, the "
    "sooner the win or the later the loss. * is best."
)

PLAYERS: Final = " ".join(
    (
        *(f"{name}: {level.about}" for name, level in LEVELS.items()),
        "perfect: Never makes a mistake.",
        'Every other player of "c4 players list" can also play.',
    )
)

KEPT: Final = 'The game is saved after every move; use "c4 play --resume" to continue it.'


def paragraphs(*, how: str) -> str:
    """The complete text, one line per paragraph."""
    return f"{RULES}\n\n{how}\n\n{HINTS}\n\n{PLAYERS}\n{KEPT}"
