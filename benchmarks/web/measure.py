"""Measure one ``c4 serve`` under load, with a server and databases of its own.

::

    python -m benchmarks web measure       # needs wrk, Debian's package of that name
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from benchmarks.options import WITH_HELP
from benchmarks.page import run_lines, table
from benchmarks.processes import run_c4
from benchmarks.record import ROOT
from benchmarks.web.load import (
    ask_all,
    book_moves,
    load,
    position_targets,
    positions,
    require_wrk,
    running_batches,
    solve_targets,
    steps,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.record import Part, Results

CONNECTIONS: Final = 16
CLIENTS: Final = 100
BATCHES: Final = 2
STORED_STONES: Final = 22
SEARCHED_STONES: Final = 14
"""Number of stones in positions that must be searched: the book ends two plies earlier."""
RATE: Final = "--rate=0"
"""No rate limit: all load comes from one address, which is otherwise limited to 50 requests/s."""
SAMPLE_SECONDS: Final = 0.5


class Sizes(NamedTuple):
    """The sizes of the measurement."""

    seconds: int
    openings: int
    """Number of positions from the book."""
    stored: int
    """Number of positions in the database."""
    questions: int
    """Number of requests of one client, one after the other."""


FULL: Final = Sizes(seconds=10, openings=100_000, stored=50_000, questions=200)
QUICK: Final = Sizes(seconds=1, openings=500, stored=500, questions=10)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure one `c4 serve` under load."""


@main.command()
@click.option("--quick", is_flag=True, help="Only test that everything runs.")
@click.pass_obj
def measure(results: Results, *, quick: bool) -> None:
    """Run all measurements. Needs wrk, the Debian package of that name."""
    require_wrk()
    figures = measure_all(QUICK if quick else FULL)
    packages = ("starlette", "uvicorn", "uvloop", "httptools")
    versions = {name: metadata.version(name) for name in packages}
    results.keep("web", "measure", figures, **versions)


def measure_all(sizes: Sizes) -> dict[str, object]:
    """Run all measurements, in order."""
    with TemporaryDirectory() as name:
        directory = Path(name)
        database, empty = directory / "stored.db", directory / "empty.db"
        _say("fill a database")
        stored = positions(1, sizes.stored, STORED_STONES)
        analyze(database, stored)
        with serving(database) as server:
            asker = _Asker(server, sizes)
            loads = asker.loads(stored, directory)
            alone = asker.questions(turn=1)
            _say("everything a second time, to measure memory only")
            asker.loads(stored, directory)
            asker.questions(turn=2)
            memory = asker.memory
        with serving(empty) as server, running_batches(server.port, BATCHES):
            beside = _Asker(server, sizes).questions(turn=1)
    return {
        "loads": loads,
        "asked": [{"what": what, "alone": alone[what], "beside": beside[what]} for what in alone],
        "memory": [{"what": what, "most_mb": most} for what, most in memory.items()],
    }


class _Asker:
    """Sends requests to a new server, and records its memory after each case."""

    def __init__(self, server: Serving, sizes: Sizes) -> None:
        self._server = server
        self._sizes = sizes
        self.memory: dict[str, list[float]] = {"nothing yet": [server.take_most_mb()]}

    def loads(self, stored: Sequence[str], directory: Path) -> list[dict[str, object]]:
        """Send requests as fast as the server answers."""
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
        server, seconds = self._server, self._sizes.seconds
        for what, targets, connections, batches in cases:
            _say(what)
            with running_batches(server.port, batches) if batches else nullcontext():
                found = load(
                    server.url, targets, directory, connections=connections, seconds=seconds
                )
            measured.append({"what": what, **asdict(found)})
            self._note_memory(what)
        return measured

    def questions(self, *, turn: int) -> dict[str, dict[str, object]]:
        """Send one request after the other. Results are stored, so each turn uses new positions."""
        number = self._sizes.questions
        searched = positions(5, turn * number, SEARCHED_STONES)[-number:]
        cases = {
            "a position of the book": book_moves(4, 13 * number)[:number],
            "a position that is searched": searched,
        }
        asked = {}
        for what, moves in cases.items():
            _say(f"{what}, one client")
            asked[what] = asdict(ask_all(self._server.port, position_targets(moves)))
            self._note_memory(f"{what}, one client")
        return asked

    def _note_memory(self, what: str) -> None:
        self.memory.setdefault(what, []).append(self._server.take_most_mb())


class Serving:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port
        self._most_mb = 0.0
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.port}"

    def sample(self) -> None:
        """Record the server's current memory."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        resident_mb = int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6
        with self._lock:
            self._most_mb = max(self._most_mb, resident_mb)

    def take_most_mb(self) -> float:
        """The peak resident megabytes since the last call, sampled twice a second."""
        self.sample()
        with self._lock:
            most, self._most_mb = self._most_mb, 0.0
        return most


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/web-log.md``."""
    found = parts["measure"].figures
    loads = [each | {"rate": each["requests"] / each["seconds"]} for each in found["loads"]]
    asked = [
        {"what": each["what"], "batches": batches, **each[case]}
        for each in found["asked"]
        for case, batches in (("alone", "none"), ("beside", "two"))
    ]
    memory = [
        {"what": each["what"], "first": each["most_mb"][0], "second": (*each["most_mb"], None)[1]}
        for each in found["memory"]
    ]
    return {
        "run": run_lines(parts["measure"].made),
        "loads": table(
            "request | connections | answers/s | median | 99th percentile | failed",
            loads,
            "{what} | {connections} | {rate:,.0f} | {p50_ms:ms} | {p99_ms:ms} | {failed}",
        ),
        "asked": table(
            "request from one client | batches | median | 99th percentile | longest",
            asked,
            "{what} | {batches} | {p50_ms:ms} | {p99_ms:ms} | {longest_ms:ms}",
        ),
        "memory": table(
            "peak memory during | first run | second run",
            memory,
            "{what} | {first:.0f} MB | {second:.0f} MB",
        ),
    }


def analyze(database: Path, moves: Sequence[str]) -> None:
    """Store positions in a database with ``c4 analyze``."""
    questions = database.with_suffix(".txt")
    questions.write_text("".join(f"{text}\n" for text in moves), encoding="ascii")
    output = database.with_suffix(".jsonl")
    run_c4("analyze", str(questions), f"--output={output}", f"--db={database}", "--quiet")


@contextmanager
def serving(database: Path) -> Iterator[Serving]:
    """Run a server until the end of the block."""
    command = [sys.executable, "-m", "cli", "serve", "--port=0", RATE, f"--db={database}"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            server = Serving(process, _port(process))
            with _sampled(server):
                yield server
        finally:
            process.terminate()


def _port(process: subprocess.Popen[str]) -> int:
    said = ""
    for line in process.stdout or ():
        said += line
        if found := re.search(r"http://[\w.]+:(\d+)", line):
            return int(found[1])
    raise click.ClickException(f"c4 serve does not start: {said}")


@contextmanager
def _sampled(server: Serving) -> Iterator[None]:
    """Sample the memory twice a second."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            server.sample()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _say(what: str) -> None:
    click.echo(what, err=True)
