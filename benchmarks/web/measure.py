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
            loads = _loads(server, stored, directory, sizes, say)
            alone = _asked(server, sizes, say)
            memory = [_memory("under these loads", server)]
        with serving(empty) as server, running_batches(server.port, BATCHES):
            beside = _asked(server, sizes, say)
            memory.append(_memory("while two batches run", server))
    return {
        "format": FORMAT,
        "date": today(),
        "command": this_command("benchmarks.web"),
        "machine": this_machine(),
        "versions": these_versions()
        | {name: version_of(name) for name in ("starlette", "uvicorn", "uvloop", "httptools")},
        "loads": loads,
        "asked": [{"what": what, "alone": alone[what], "beside": beside[what]} for what in alone],
        "memory": memory,
    }


def _loads(
    server: Serving,
    stored: Sequence[str],
    directory: Path,
    sizes: Sizes,
    say: Callable[[str], object],
) -> list[dict[str, object]]:
    openings = book_moves(2, sizes.openings)
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
        say(what)
        with running_batches(server.port, batches) if batches else nullcontext():
            found = load(
                server.url, targets, directory, connections=connections, seconds=sizes.seconds
            )
        measured.append({"what": what, **asdict(found)})
    return measured


def _asked(
    server: Serving, sizes: Sizes, say: Callable[[str], object]
) -> dict[str, dict[str, object]]:
    cases = {
        "a position of the book": book_moves(4, 13 * sizes.questions)[: sizes.questions],
        "a position that is searched": positions(5, sizes.questions, SEARCHED_STONES),
    }
    asked = {}
    for what, moves in cases.items():
        say(f"{what}, one client")
        asked[what] = asdict(ask_all(server.port, position_targets(moves)))
    return asked


def _memory(what: str, server: Serving) -> dict[str, object]:
    """The memory at the quarters of the time that the server has run."""
    samples = [megabytes for _, megabytes in server.memory]
    last = len(samples) - 1
    return {
        "what": what,
        "seconds": server.memory[-1][0],
        "quarters": [samples[last * quarter // 4] for quarter in range(1, 5)],
        "most": max(samples),
    }
