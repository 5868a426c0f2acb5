"""All measurements, in order."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.record import these_versions, this_command, this_machine, today, version_of
from benchmarks.web.asking import ask_all
from benchmarks.web.batches import running_batches
from benchmarks.web.load import load
from benchmarks.web.questions import (
    book_moves,
    position_targets,
    positions,
    solve_targets,
    steps,
)
from benchmarks.web.results import FORMAT
from benchmarks.web.serving import Serving, analyze, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CONNECTIONS: Final = 16
"""Of programs; the last load has 100 clients."""
CLIENTS: Final = 100
BATCHES: Final = 2
STORED_STONES: Final = 22
SEARCHED_STONES: Final = 14
"""Of positions that nothing knows, so that they are searched: a book ends two before."""


class Sizes(NamedTuple):
    """How much is asked."""

    seconds: int
    """Of each load."""
    openings: int
    """Different positions of the book."""
    stored: int
    """Positions in the database."""
    questions: int
    """That one client asks, one after the other."""


FULL: Final = Sizes(seconds=10, openings=100_000, stored=50_000, questions=200)
QUICK: Final = Sizes(seconds=1, openings=500, stored=500, questions=10)


def measure(sizes: Sizes, say: Callable[[str], object]) -> dict[str, object]:
    """Measure everything.

    Args:
        sizes: how much.
        say: is told what is measured.

    Returns:
        The file of figures.
    """
    with TemporaryDirectory() as name:
        directory = Path(name)
        database, empty = directory / "stored.db", directory / "empty.db"
        say("fill a database")
        stored = positions(1, sizes.stored, STORED_STONES)
        analyze(database, stored)
        with serving(database) as server:
            asker = _Asker(server, sizes, say)
            loads = asker.loads(stored, directory)
            alone = asker.questions(turn=1)
            say("all of it a second time, for the memory alone")
            asker.loads(stored, directory)
            asker.questions(turn=2)
            memory = asker.memory
        with serving(empty) as server, running_batches(server.port, BATCHES):
            beside = _Asker(server, sizes, say).questions(turn=1)
    return {
        "format": FORMAT,
        "date": today(),
        "command": this_command("benchmarks.web"),
        "machine": this_machine(),
        "versions": these_versions()
        | {name: version_of(name) for name in ("starlette", "uvicorn", "uvloop", "httptools")},
        "loads": loads,
        "asked": [{"what": what, "alone": alone[what], "beside": beside[what]} for what in alone],
        "memory": [{"what": what, "most_mb": most} for what, most in memory.items()],
    }


class _Asker:
    """Asks a server, and takes note of its memory.

    Args:
        server: as it has just started.
        sizes: how much is asked.
        say: is told what is measured.

    Attributes:
        memory: the most resident megabytes while something was asked, each time that it was.
    """

    def __init__(self, server: Serving, sizes: Sizes, say: Callable[[str], object]) -> None:
        self._server = server
        self._sizes = sizes
        self._say = say
        self.memory: dict[str, list[float]] = {"nothing yet": [server.take_most_mb()]}

    def loads(self, stored: Sequence[str], directory: Path) -> list[dict[str, object]]:
        """Ask as fast as the server answers."""
        openings = book_moves(2, self._sizes.openings)
        walks = steps(3, CLIENTS, 20)
        cases = [
            ("the book, `/solve`", solve_targets(openings), CONNECTIONS, 0),
            ("the book, `/api/v1/position`", position_targets(openings), CONNECTIONS, 0),
            ("stored, `/solve`", solve_targets(stored), CONNECTIONS, 0),
            ("stored, `/api/v1/position`", position_targets(stored), CONNECTIONS, 0),
            ("100 clients step through openings", position_targets(walks), CLIENTS, 0),
            ("the same, while two batches run", position_targets(walks), CLIENTS, BATCHES),
        ]
        measured = []
        for what, targets, connections, batches in cases:
            self._say(what)
            server, seconds = self._server, self._sizes.seconds
            with running_batches(server.port, batches) if batches else nullcontext():
                found = load(
                    server.url, targets, directory, connections=connections, seconds=seconds
                )
            measured.append({"what": what, **asdict(found)})
            self._note_memory(what)
        return measured

    def questions(self, *, turn: int) -> dict[str, dict[str, object]]:
        """Ask one question after the other; each turn other ones, as a search is stored."""
        number = self._sizes.questions
        searched = positions(5, turn * number, SEARCHED_STONES)[-number:]
        cases = {
            "a position of the book": book_moves(4, 13 * number)[:number],
            "a position that is searched": searched,
        }
        asked = {}
        for what, moves in cases.items():
            self._say(f"{what}, one client")
            asked[what] = asdict(ask_all(self._server.port, position_targets(moves)))
            self._note_memory(f"{what}, one client")
        return asked

    def _note_memory(self, what: str) -> None:
        self.memory.setdefault(what, []).append(self._server.take_most_mb())
