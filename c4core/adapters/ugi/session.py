"""A conversation in UGI: lines come in, and are answered while a search goes on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from c4core.adapters.mover import Mover
from c4core.adapters.ugi.options import Options
from c4core.adapters.ugi.reading import LineError, quoted, read_go, read_position
from c4core.adapters.ugi.search import Search, in_a_line
from c4core.adapters.ugi.thinking import think
from c4core.errors import C4Error
from c4core.lines import BadLine, read_text_lines
from c4core.players import Stop, StopPlaying
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from c4core.adapters.ugi.reading import Go
    from c4core.book import Book

_WHEN_IDLE: Final = frozenset({"uginewgame", "setoption", "position", "go"})
_NOTHING_TO_DO: Final = frozenset({"", "quit"})
_RESULTS: Final = {"x": "p1win", "o": "p2win", None: "draw"}


class Session:
    """An engine in a conversation.

    Lines that make no sense are answered by ``info string error: ..``, and nothing changes. Lines
    that change what is searched wait for the end of a search that has one.

    Args:
        say: takes each line of the engine, without its end. It is called by one thread at a time.
        options: what it plays with, until that is changed.
        book: asked before a search; None for none.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        *,
        options: Options | None = None,
        book: Book | None = None,
    ) -> None:
        self._say = say
        self._options = options or Options()
        self._book = book
        self._position = self._start()
        self._solver: Solver | None = None
        self._mover: Mover | None = None
        self._search: Search | None = None
        self._lock = threading.Lock()

    def run(self, stream: BinaryIO) -> None:
        """Answer lines until ``quit``, or until they end and the last search is done.

        Args:
            stream: anything with ``readline(limit)``: a binary file, ``sys.stdin.buffer``.

        Raises:
            OSError: the answers cannot be written.
        """
        try:
            for _, line in read_text_lines(stream):
                if isinstance(line, BadLine):
                    self._complain(line.error)
                elif not self.answer(line):
                    return
            if self._search is not None and self._search.go.infinite:
                self._search.end()  # nobody is left who could stop it
            self._join()
        finally:
            self.close()

    def answer(self, line: str) -> bool:
        """Answer a line. Returns whether there may be more: not after ``quit``.

        Raises:
            OSError: a line cannot be written, or could not be since the last one came.
        """
        if self._search is not None and not self._search.is_running:
            self._join()
        command, *words = line.split() or ("",)
        try:
            if command not in _NOTHING_TO_DO:
                self._obey(command, words)
        except (C4Error, MemoryError) as error:
            self._complain(str(error) or type(error).__name__)
        return command != "quit"

    def close(self) -> None:
        """Stop the search, and say no more."""
        search, self._search = self._search, None
        if search is not None:
            search.is_silent = True
            search.end()

    def _obey(self, command: str, words: list[str]) -> None:
        if command in _WHEN_IDLE:
            self._await_end(command)
        match command:
            case "ugi":
                self._introduce()
            case "isready":
                self._be_ready()
            case "uginewgame":
                self._mover, self._position = None, self._start()
            case "setoption":
                self._set(words)
            case "position":
                self._position = read_position(words, self._options.board)
            case "query":
                self._tell(f"response {self._response(words)}")
            case "go":
                self._go(read_go(words))
            case "stop":
                self._stop()
            case _:
                raise LineError(f"there is no command {quoted(command)}")

    def _introduce(self) -> None:
        self._tell(f"id name C4 {__version__}")
        self._tell("id author the C4 project")
        for line in self._options.lines():
            self._tell(line)
        self._tell("ugiok")

    def _await_end(self, command: str) -> None:
        """Wait until the search has ended: lines of a file need no answers in between."""
        if self._search is not None and self._search.go.infinite:
            raise LineError(f"{command}: a search is going on; stop ends it")
        self._join()

    def _be_ready(self) -> None:
        if self._search is None:
            self._prepare()
        self._tell("readyok")

    def _stop(self) -> None:
        if self._search is not None:
            self._search.end()
            self._join()

    def _go(self, go: Go) -> None:
        if self._position.is_over:
            self._tell("bestmove none")  # who asks must not wait
            raise LineError("go: the game is over")
        self._search = Search(go, self._position, self._think, self._tell)

    def _think(self, position: Position, go: Go, stop: Stop) -> tuple[int, tuple[str, ...]]:
        """A column, and what is to be said before it; in the search's own thread."""
        chooser = self._prepare()
        if isinstance(chooser, Solver):
            thought = think(chooser, position, go, stop)
            return thought.column, thought.lines
        try:
            return chooser.choose(position, seconds=go.seconds(position), stop=stop), ()
        except StopPlaying:
            told = "info string stopped before the player had chosen: any column"
            return position.legal_columns()[0], (told,)

    def _prepare(self) -> Solver | Mover:
        """What finds moves. ``isready`` makes it, before the first clock runs."""
        options = self._options
        if options.player is not None:
            self._mover = self._mover or Mover(options.player)
            return self._mover
        if self._solver is None:
            self._solver = Solver(table_mb=options.hash, threads=options.threads, book=self._book)
        return self._solver

    def _set(self, words: list[str]) -> None:
        before, self._options = self._options, self._options.changed(words)
        if (before.hash, before.threads) != (self._options.hash, self._options.threads):
            self._solver = None
        if before.player != self._options.player:
            self._mover = None
        if before.board != self._options.board:
            self._position = self._start()

    def _response(self, words: list[str]) -> str:
        position = self._position
        match words:
            case ["gameover"]:
                return str(position.is_over).lower()
            case ["p1turn"]:
                return str(position.turn == "x").lower()
            case ["result"]:
                return _RESULTS[position.winner] if position.is_over else "none"
        raise LineError("query: gameover, p1turn or result")

    def _start(self) -> Position:
        return Position(width=self._options.board.width, height=self._options.board.height)

    def _join(self) -> None:
        """Wait for the search, and raise what has ended it."""
        search, self._search = self._search, None
        if search is not None:
            search.join()

    def _complain(self, text: str) -> None:
        self._tell(f"info string error: {in_a_line(text)}")

    def _tell(self, line: str) -> None:
        with self._lock:
            self._say(line)
