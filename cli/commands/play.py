"""``c4 play``: a game at the terminal, line by line, between people, players, or both."""

from __future__ import annotations

import json
import secrets
import shlex
import sys
import textwrap
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from c4core.arena.file_formats import json_object
from c4core.arena.files import GameEntry, empty_board, ending_on_board
from c4core.arena.game import Ending
from c4core.errors import C4Error, MoveError
from c4core.notation import DEFAULT_BOARD, column_label, format_moves
from c4core.players import ANY_PROGRAM, Stop
from c4core.players.errors import PlayerError, PlayerFailure, is_exhaustion
from c4core.players.registry import LEVELS, parse_player, player_kinds
from c4core.position import Position
from c4core.reader import read_moves
from cli.output import render
from cli.positions.books import Books
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import Engine, flag, group, option, takes
from cli.shell.process import Exit, echo, ignoring_closed_stderr, reading, run_in_background
from workers.answers.question import Question
from workers.answers.service import AnswerService, SearchStop
from workers.match.table import choose_move

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.notation import BoardSize
    from c4core.players.player import PlayerSpec
    from c4core.position import Side
    from cli.shell.settings import Settings
    from db.database import Database
    from workers.answers.question import Answer

HUMAN: Final = "human"

LEAST_SIDE: Final = 4
"""Smallest width and height with room for four in a row in every direction."""

LONGEST_LINE: Final = 1024
"""Maximum number of bytes to read as a line; no command is longer."""

COMMANDS: Final = "a column, or: hint, undo, moves, resign, help, quit"

RULES: Final = (
    "Take turns dropping a stone into a column; it falls onto the stones below. The first with "
    "four in a row, horizontal, vertical or diagonal, wins. A full board is a draw. x begins."
)

HINTS: Final = (
    "Hints are exact: the number below a column is the result of that move if both sides then play "
    "perfectly, for the side to move. Above 0 wins, 0 draws, below 0 loses; the larger, the "
    "sooner the win or the later the loss. * is best."
)

EXAMPLES = (
    "c4 play",
    "c4 play --first hard --second human",
    "c4 play --first perfect --second mcts-uct:iterations=5000 --board 6x5",
    "printf '4\\n4\\nhint\\n' | c4 play --second easy",
)


@dataclass(frozen=True, slots=True)
class Seat:
    """The player of a side."""

    name: str
    """The name shown: ``human``, a level, or a player's shortest description."""
    spec: PlayerSpec | None = None
    """The computer's player; None for a person."""


def read_seat(text: str) -> Seat:
    """Parse a player of a side: ``human``, a level, or a player's description."""
    name = text.strip()
    if name == HUMAN:
        return Seat(HUMAN)
    try:
        spec = parse_player(name)
    except PlayerError as error:
        if error.player in {kind.name for kind in player_kinds()}:
            raise
        others = ", ".join((HUMAN, *LEVELS))
        raise PlayerError(f"neither {others} nor a player: {error}", player=name) from None
    return Seat(name if name in LEVELS else spec.text, spec)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 play``."""

    first: Seat = option(
        "Player of x, who moves first: human, a level (beginner to expert), or another player.",
        metavar="WHO",
        default=HUMAN,
        read=read_seat,
    )
    second: Seat = option("Player of o.", metavar="WHO", default="medium", read=read_seat)
    board: BoardSize = parameters.board()
    moves: str = option("Start after these moves.", metavar="MOVES", default="")
    seed: int | None = option(
        "Seed of all random choices.  [default: a random one]", type=int, metavar="N"
    )
    books: Books = group(Books)
    no_store: bool = flag("Use no database for hints and players.")
    engine: Engine = group(Engine)


@click.command(cls=Command, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def play(settings: Settings, given: Given) -> None:
    """Play Connect Four at the terminal.

    Moves are read from standard input, one column per line, and the board is written after each.
    Type "hint" for the exact score of every column, "undo" to take a move back, and "help" for the
    other commands. The levels beginner, easy, medium, hard and expert get stronger in this order;
    perfect is stronger than all. Every other player of "c4 players list" can also play, on either
    side or on both.

    If you leave before the end, a message shows the command that continues the game. With --json
    only the game is written, at the end, as "c4 games import" reads it.
    """
    game = _game(given)
    with ExitStack() as stack:
        database = (
            None if given.no_store else stack.enter_context(settings.open_database(create=True))
        )
        service = AnswerService(database, **vars(given.engine), book=given.books.path())
        stack.callback(service.close)
        dialogue = Dialogue(game, service, database, silent=settings.json)
        try:
            dialogue.play()
        except KeyboardInterrupt:
            with ignoring_closed_stderr():  # the terminal may be closed
                _say_how_to_continue(game, settings)
            raise
    if settings.json:
        more = {"over": game.is_over, "outcome": game.outcome(), "play_seed": game.seed}
        echo(json.dumps(json_object(game.entry()) | more))
    _say_how_to_continue(game, settings)
    if dialogue.mistakes and not sys.stdin.isatty():
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _game(given: Given) -> Game:
    board = given.board
    if min(board) < LEAST_SIDE:
        raise click.BadParameter(
            f"{board} is too small for four in a row: use at least {LEAST_SIDE} columns and rows",
            param_hint="'--board'",
        )
    for name, seat in (("--first", given.first), ("--second", given.second)):
        try:
            if seat.spec is not None:
                seat.spec.make().check_board(board)
        except PlayerError as error:
            raise click.BadParameter(str(error), param_hint=f"'{name}'") from None
    seed = secrets.randbits(32) if given.seed is None else given.seed
    try:
        columns = list(read_moves(given.moves, board))
        Position.from_columns(columns, board=board)
    except MoveError as error:
        raise click.BadParameter(str(error), param_hint="'--moves'") from None
    return Game(given.first, given.second, seed, board, columns)


def _say_how_to_continue(game: Game, settings: Settings) -> None:
    if game.columns and not game.is_over:
        players = f"--first {shlex.quote(game.first.name)} --second {shlex.quote(game.second.name)}"
        size = "" if game.board == DEFAULT_BOARD else f" --board {game.board}"
        settings.say(
            f"Continue with: c4 play {players}{size} --seed {game.seed} --moves {game.moves}"
        )


@dataclass(slots=True)
class Game:
    """Two players and their moves."""

    first: Seat
    """The player of ``x``."""
    second: Seat
    seed: int
    board: BoardSize
    columns: list[int]
    """The legal moves so far, 0-based."""
    _loss: tuple[Side, Ending, str] | None = None
    """The side that has failed or resigned, and how."""

    @property
    def position(self) -> Position:
        """The position after the moves."""
        return Position.from_columns(self.columns, board=self.board)

    @property
    def moves(self) -> str:
        """The moves as text."""
        return format_moves(self.columns)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, on the board or by a failure or a resignation."""
        return self._loss is not None or self.position.is_over

    @property
    def winner(self) -> Side | None:
        """The winner; None while nobody has won."""
        if self._loss is not None:
            return "o" if self._loss[0] == "x" else "x"
        return self.position.winner

    @property
    def seat_to_move(self) -> Seat:
        """The player to move."""
        return self._seat_at(len(self.columns))

    @property
    def has_person(self) -> bool:
        """Whether a person plays on either side."""
        return self.first.spec is None or self.second.spec is None

    def lose(self, ending: Ending, reason: str = "") -> None:
        """End the game: the side to move has failed or resigned."""
        self._loss = (self.position.turn, ending, reason)

    def take_back(self) -> bool:
        """Take back a person's last move, and the answer; return False if there is none."""
        for length in reversed(range(len(self.columns))):
            if self._seat_at(length).spec is None:
                del self.columns[length:]
                return True
        return False

    def entry(self) -> GameEntry:
        """The game as an entry of a file of games.

        It has no seed: every move at the terminal has its own, so a match with one seed cannot
        repeat the game.
        """
        position = self.position
        if self._loss is not None:
            ending, detail = self._loss[1:]
        else:
            ending, detail = Ending.UNFINISHED, ""
            if position.is_over:
                ending = ending_on_board(position, position.winner)
        first, second = (
            seat.name if seat.spec is None else seat.spec.full for seat in (self.first, self.second)
        )
        return GameEntry(
            start=empty_board(self.board),
            moves=self.moves,
            final=position,
            winner=self.winner,
            ending=ending,
            first=first,
            second=second,
            detail=detail,
        )

    def outcome(self) -> str:
        """One sentence: whose turn it is, or how the game ended.

        ``x to move (human)``, ``o has won (hard)``, ``a draw: the board is full``
        """
        winner = self.winner
        if self._loss is not None:
            loser, ending, reason = self._loss
            how = "resigned" if ending is Ending.RESIGNED else f"failed: {reason}"
            return f"{winner} has won: {loser} ({self._seat_of(loser).name}) {how}"
        if winner is not None:
            return f"{winner} has won ({self._seat_of(winner).name})"
        if self.is_over:
            return "a draw: the board is full"
        return f"{self.position.turn} to move ({self.seat_to_move.name})"

    def _seat_at(self, ply: int) -> Seat:
        return self.second if ply % 2 else self.first

    def _seat_of(self, side: Side) -> Seat:
        return self.first if side == "x" else self.second


class Dialogue:
    """Reads moves and commands from standard input, and writes the board after each.

    Attributes:
        mistakes: lines that were neither a legal column nor a command.
    """

    def __init__(
        self, game: Game, service: AnswerService, database: Database | None, *, silent: bool
    ) -> None:
        self.mistakes = 0
        self._game = game
        self._service = service
        self._database = database
        self._silent = silent
        self._prompts = sys.stdin.isatty()
        self._line = 0
        self._commands: dict[str, Callable[[], object]] = {
            "hint": self._hint,
            "undo": self._undo,
            "moves": lambda: self._write(game.moves or "no moves yet"),
            "resign": lambda: game.lose(Ending.RESIGNED),
            "help": self._help,
        }

    def play(self) -> None:
        """Play until the game is over or the person quits. A signal raises KeyboardInterrupt."""
        self._draw()
        while not self._game.is_over:
            spec = self._game.seat_to_move.spec
            if spec is not None:
                self._computer_moves(spec)
            elif not self._person_moves():
                break
        self._write(self._game.outcome())

    def _computer_moves(self, spec: PlayerSpec) -> None:
        game, stop = self._game, Stop()
        position = game.position
        try:
            column = run_in_background(
                lambda: (
                    choose_move(
                        position,
                        spec,
                        service=self._service,
                        database=self._database,
                        seed=game.seed,
                        programs=ANY_PROGRAM,  # the user has typed the player
                        stop=stop,
                    ).column
                ),
                stop.set,
            )
        except PlayerFailure as failure:
            game.lose(Ending(failure.failing), f"{failure.failing}: {failure}")
        except Exception as error:
            if isinstance(error, C4Error) or is_exhaustion(error):
                raise
            game.lose(Ending.ERROR, f"{type(error).__name__}: {error}")
        else:
            name = game.seat_to_move.name
            self._write(f"{position.turn} ({name}) plays {column_label(column)}")
            self._move(column)

    def _person_moves(self) -> bool:
        """Read and execute one line. Return whether the game goes on."""
        if self._prompts:
            echo(f"{self._game.outcome()}, {COMMANDS}: ", err=True, newline=False)
        with reading("standard input"):
            line = rest = sys.stdin.buffer.readline(LONGEST_LINE)
            while len(rest) == LONGEST_LINE and not rest.endswith(b"\n"):
                rest = sys.stdin.buffer.readline(LONGEST_LINE)
        self._line += 1
        if rest is not line:
            self._refuse(f"a line has at most {LONGEST_LINE:,} bytes")
            return True
        word = line.decode(errors="replace").strip().lower()
        if not line or word in {"quit", "q"}:
            return False
        command = self._commands.get(word)
        if command is not None:
            command()
        elif word:
            self._try(word)
        return True

    def _try(self, word: str) -> None:
        try:
            (column,) = read_moves(word, self._game.board)
            self._game.position.play(column)
        except MoveError as error:
            if error.kind == "syntax" or (error.kind == "range" and not word.isdigit()):
                self._refuse(f"{word!r} is neither a column nor a command")
            else:  # do not repeat the place in the line
                self._refuse(str(error).removeprefix("move 1: "))
        except ValueError:  # several columns
            self._refuse(f"type one column per line, not {word!r}")
        else:
            self._move(column)

    def _refuse(self, reason: str) -> None:
        self.mistakes += 1
        where = "" if self._prompts else f"line {self._line}: "
        echo(f"{where}{reason} (type {COMMANDS})", err=True)

    def _move(self, column: int) -> None:
        game = self._game
        game.columns.append(column)
        if game.is_over or game.seat_to_move.spec is None or not game.has_person:
            self._draw()  # otherwise draw after the answer

    def _undo(self) -> None:
        if self._game.take_back():
            self._draw()
        else:
            echo("there is nothing to undo", err=True)

    def _hint(self) -> None:
        stop = SearchStop()
        position = self._game.position
        answers = run_in_background(
            lambda: self._service.answer([position], Question(), stop), stop.set
        )
        self._draw(answers[0])

    def _help(self) -> None:
        levels = " ".join(f"{name}: {level.about}" for name, level in LEVELS.items())
        for text in (RULES, f"Type {COMMANDS}.", HINTS, levels):
            for line in (*textwrap.wrap(text), ""):
                self._write(line)

    def _draw(self, answer: Answer | None = None) -> None:
        if self._silent:
            return
        out = render.console()
        position = self._game.position
        out.print(render.board(position, None if answer is None else answer.bounds))
        if answer is not None:
            out.print(render.result_sentence(position, answer))
            out.print("best: " + render.labels(answer.best))
        sys.stdout.flush()

    def _write(self, text: str) -> None:
        if not self._silent:
            echo(text)
