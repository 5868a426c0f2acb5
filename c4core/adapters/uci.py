"""An engine for the protocol UCI, which consists of text lines.

Engine managers for chess variants use UCI; Connect Four on 7x6 is their variant ``cfour``.
``Session`` answers the lines, :mod:`c4core.adapters.uci_notation` reads and writes moves and
positions, and :mod:`c4core.adapters.uci_search` finds moves. docs/adapters.md describes the
supported lines.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from c4core.adapters.mover import Mover
from c4core.adapters.uci_notation import NO_MOVE, LineError, quoted, read_position
from c4core.adapters.uci_search import Search, in_a_line, read_go, think, whole
from c4core.errors import C4Error
from c4core.lines import BadLine, read_text_lines
from c4core.players import Stop, StopPlaying
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

    from c4core.adapters.uci_search import Go
    from c4core.book import Book

NONE: Final = "<empty>"
"""The UCI notation for an empty text."""
MOST_MB: Final = 1 << 20
MOST_THREADS: Final = 1024

CFOUR: Final = "cfour"
"""The name of Connect Four among UCI's variants."""

_WHEN_IDLE: Final = frozenset({"uci", "ucinewgame", "setoption", "position", "go"})


@dataclass(frozen=True, slots=True)
class Options:
    """The engine's options, as set by ``setoption name hash value 256``."""

    hash: int = 64
    """The size of the transposition table in MB."""
    threads: int = 1
    player: str | None = None
    """The description of the player that chooses the moves; None for exact scores."""

    def lines(self) -> tuple[str, ...]:
        """Return the lines that declare the options."""
        return (
            f"option name Hash type spin default {self.hash} min 1 max {MOST_MB}",
            f"option name Threads type spin default {self.threads} min 1 max {MOST_THREADS}",
            f"option name UCI_Variant type combo default {CFOUR} var {CFOUR}",
            f"option name Player type string default {self.player or NONE}",
        )

    def changed(self, words: Sequence[str]) -> Options:
        """Return these options with one changed."""
        if words[:1] != ["name"] or "value" not in words:
            raise LineError("setoption: write setoption name OPTION value VALUE")
        split = words.index("value")
        name, value = " ".join(words[1:split]).lower(), " ".join(words[split + 1 :])
        if name == "hash":
            return replace(self, hash=_between(value, name, MOST_MB))
        if name == "threads":
            return replace(self, threads=_between(value, name, MOST_THREADS))
        if name == "uci_variant":
            if value != CFOUR:
                raise LineError(f"setoption UCI_Variant: must be {CFOUR}, not {quoted(value)}")
            return self
        if name == "player":
            try:
                return replace(self, player=_known_player(value))
            except C4Error as error:
                raise LineError(f"setoption {name}: {error}") from None
        raise LineError(
            f"setoption: unknown option {quoted(name)}; use Hash, Threads, Player or UCI_Variant"
        )


class Session:
    """A conversation with the engine.

    A line that cannot be understood changes nothing and is answered by ``info string error: TEXT``.
    A line that changes the position or the options waits for the end of the search. During an
    infinite search it is refused.
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
        self._position = Position()
        self._solver: Solver | None = None
        self._mover: Mover | None = None
        self._search: Search | None = None
        self._lock = threading.Lock()

    def run(self, stream: BinaryIO) -> None:
        """Answer lines until ``quit``, or until the input and the last search end."""
        try:
            for _, line in read_text_lines(stream):
                if isinstance(line, BadLine):
                    self._complain(line.error)
                elif not self.answer(line):
                    return
            if self._search is not None and self._search.go.infinite:
                self._search.end()  # no more lines can stop it
            self._join()
        finally:
            self.close()

    def answer(self, line: str) -> bool:
        """Answer a line. Returns False after ``quit``, else True."""
        if self._search is not None and not self._search.is_running:
            self._join()
        command, *words = line.split() or ("",)
        try:
            if command:
                self._obey(command, words)
        except (C4Error, MemoryError) as error:
            self._complain(str(error) or type(error).__name__)
        return command != "quit"

    def close(self) -> None:
        """Stop the search, and do not write its move."""
        search, self._search = self._search, None
        if search is not None:
            search.is_silent = True
            search.end()

    def _obey(self, command: str, words: list[str]) -> None:
        if command in _WHEN_IDLE:
            self._await_end(command)
        match command:
            case "uci":
                self._introduce()
            case "isready":
                self._be_ready()
            case "ucinewgame":
                self._mover, self._position = None, Position()
            case "setoption":
                self._change(self._options.changed(words))
            case "position":
                self._position = read_position(words)
            case "go":
                self._go(read_go(words))
            case "stop" | "quit":
                self._stop()
            case _:
                raise LineError(f"unknown command {quoted(command)}")

    def _introduce(self) -> None:
        for line in (f"id name C4 {__version__}", "id author the C4 project"):
            self._tell(line)
        for line in self._options.lines():
            self._tell(line)
        self._tell("uciok")

    def _await_end(self, command: str) -> None:
        """Wait until the search has ended, so that a file of lines can be the input."""
        if self._search is not None and self._search.go.infinite:
            raise LineError(f"{command}: a search is running; end it with stop")
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
            self._tell(f"bestmove {NO_MOVE}")  # else the client waits for a move
            raise LineError("go: the game is over")
        self._search = Search(go, self._position, self._think, self._tell)

    def _think(self, position: Position, go: Go, stop: Stop) -> tuple[int, tuple[str, ...]]:
        """Find a column, and the lines to write before it. Runs in the search thread."""
        chooser = self._prepare()
        if isinstance(chooser, Solver):
            return think(chooser, position, go, stop)
        try:
            return chooser.choose(position, seconds=go.seconds(position), stop=stop), ()
        except StopPlaying:
            told = "info string stopped before the player chose; the leftmost open column is played"
            return position.legal_columns()[0], (told,)

    def _prepare(self) -> Solver | Mover:
        """Return the solver or the player, which is made if necessary.

        ``isready`` calls this before the first clock starts.
        """
        options = self._options
        if options.player is not None:
            self._mover = self._mover or Mover(options.player)
            return self._mover
        if self._solver is None:
            self._solver = Solver(table_mb=options.hash, threads=options.threads, book=self._book)
        return self._solver

    def _change(self, options: Options) -> None:
        before, self._options = self._options, options
        if (before.hash, before.threads) != (self._options.hash, self._options.threads):
            self._solver = None
        if before.player != self._options.player:
            self._mover = None

    def _join(self) -> None:
        """Wait for the search, and raise the error that ended it."""
        search, self._search = self._search, None
        if search is not None:
            search.join()

    def _complain(self, text: str) -> None:
        self._tell(f"info string error: {in_a_line(text)}")

    def _tell(self, line: str) -> None:
        with self._lock:
            self._say(line)


def _known_player(value: str) -> str | None:
    """Check a player's description. Input lines cannot give consent to start programs."""
    if value in ("", NONE):
        return None
    Mover(value)
    return value


def _between(text: str, name: str, most: int) -> int:
    number = whole(text, f"setoption {name}")
    if not 1 <= number <= most:
        raise LineError(f"setoption {name}: must be from 1 to {most}, not {number}")
    return number
