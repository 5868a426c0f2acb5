"""A game line by line: for screen readers, plain terminals and programs."""

from __future__ import annotations

import sys
import textwrap
import threading
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Final, TypeVar

from c4core.arena.game import Ending
from c4core.errors import MoveError
from c4core.notation import column_label
from c4core.players.errors import PlayerFailure
from c4core.reader import read_moves
from cli.commands.play.game import paragraphs, write_game
from cli.commands.play.opponents import Opponents
from cli.output import render
from cli.shell.process import LOOK_SECONDS, check_signals, echo, fulfil, reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.commands.play.game import Game
    from cli.commands.play.opponents import GameResources
    from workers.answers.question import Answer

T = TypeVar("T")

COMMANDS: Final = "a column, or: hint, undo, moves, resign, help, quit"

LONGEST_LINE: Final = 1024
"""Maximum number of bytes to read as a line; no command is longer."""


class PlainGame:
    """Reads moves and commands from standard input, and writes the board after each.

    Attributes:
        game: the current game.
        mistakes: lines that were neither a legal column nor a command.
    """

    def __init__(self, game: Game, *, file: Path, supplies: GameResources, silent: bool) -> None:
        self.game = game
        self.mistakes = 0
        self._file = file
        self._scores = supplies.scores
        self._silent = silent
        self._opponents = Opponents(supplies)
        self._prompts = sys.stdin.isatty()
        self._line = 0
        self._commands: dict[str, Callable[[], object]] = {
            "hint": self._hint,
            "undo": self._undo,
            "moves": lambda: self._write(self.game.moves or "no moves yet"),
            "resign": lambda: self._go_on_with(self.game.resigned()),
            "help": self._help,
        }

    @property
    def games(self) -> list[Game]:
        """The only game, as a list."""
        return [self.game]

    def play(self) -> None:
        """Play until the game is over or the person quits.

        A signal raises KeyboardInterrupt; the game is kept.
        """
        try:
            self._draw()
            while not self.game.is_over:
                if self.game.awaits_computer:
                    self._computer_moves()
                elif not self._person_moves():
                    break
        finally:
            self._scores.give_up()
            self._opponents.end(self.game)
        self._write(self.game.outcome())

    def _computer_moves(self) -> None:
        game = self.game
        try:
            column = _wait_for(lambda: self._opponents.choose(game))
        except PlayerFailure as failure:
            self._go_on_with(
                game.failed(f"{failure.failing.value}: {failure}", Ending(failure.failing))
            )
            return
        side, name = game.position.turn, game.seat_to_move.name
        self._write(f"{side} ({name}) plays {column_label(column)}")
        self._go_on_with(game.played(column))

    def _person_moves(self) -> bool:
        """Read and execute one line. Return whether the game goes on."""
        if self._prompts:
            echo(f"{self.game.outcome()}, {COMMANDS}: ", err=True, newline=False)
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
            (column,) = read_moves(word, self.game.board)
            game = self.game.played(column)
        except MoveError as error:
            if error.kind == "syntax" or (error.kind == "range" and not word.isdigit()):
                self._refuse(f"{word!r} is neither a column nor a command")
            else:  # do not repeat the place in the line
                self._refuse(str(error).removeprefix("move 1: "))
        except ValueError:  # several columns
            self._refuse(f"type one column per line, not {word!r}")
        else:
            self._go_on_with(game)

    def _refuse(self, reason: str) -> None:
        self.mistakes += 1
        where = "" if self._prompts else f"line {self._line}: "
        echo(f"{where}{reason} (type {COMMANDS})", err=True)

    def _go_on_with(self, game: Game) -> None:
        self.game = game
        write_game(self._file, game)
        if not (game.has_person and game.awaits_computer):  # otherwise draw after the answer
            self._draw()

    def _undo(self) -> None:
        earlier = self.game.taken_back()
        if earlier is None:
            echo("there is nothing to undo", err=True)
        else:
            self._go_on_with(earlier)

    def _hint(self) -> None:
        position = self.game.position
        self._draw(_wait_for(lambda: self._scores.ask(position)))

    def _help(self) -> None:
        lines = paragraphs(how=f"Type {COMMANDS}.").splitlines()
        for paragraph in lines:
            for line in textwrap.wrap(paragraph) or [""]:
                self._write(line)

    def _draw(self, answer: Answer | None = None) -> None:
        if self._silent:
            return
        out = render.console()
        bounds = None if answer is None else answer.bounds
        position = self.game.position
        out.print(render.board(position, bounds))
        if answer is not None:
            out.print(render.result_sentence(position, answer))
            out.print("best: " + render.labels(answer.best))
        sys.stdout.flush()

    def _write(self, text: str) -> None:
        if not self._silent:
            echo(text)


def _wait_for(work: Callable[[], T]) -> T:
    """Run work in a thread and wait for its result, checking for Ctrl-C.

    KeyboardInterrupt is raised at once; the work may still be running.
    """
    future: Future[T] = Future()
    threading.Thread(target=fulfil, args=(future, work), daemon=True).start()
    while not wait([future], timeout=LOOK_SECONDS).done:
        check_signals()
    return future.result()
