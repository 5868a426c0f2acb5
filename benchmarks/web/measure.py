"""Measure one ``c4 serve`` under load, with a server and databases of its own.

::

    python -m benchmarks web measure       # needs wrk, Debian's package of that name
"""

from __future__ import annotations

import re
import subprocess
import sys
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
RATE: Final = "--rate=0"
"""No rate limit: all load comes from one address, which is otherwise limited to 50 requests/s."""


class Sizes(NamedTuple):
    """The sizes of the measurement."""

    seconds: int
    openings: int
    """Number of positions from the book."""
    stored: int
    """Number of positions in the database."""


FULL: Final = Sizes(seconds=10, openings=100_000, stored=50_000)
QUICK: Final = Sizes(seconds=1, openings=500, stored=500)


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
    packages = ("starlette", "uvicorn", "uvloop", "h11")
    versions = {name: metadata.version(name) for name in packages}
    results.keep("web", "measure", figures, **versions)


def measure_all(sizes: Sizes) -> dict[str, object]:
    """Run all measurements, in order."""
    with TemporaryDirectory() as name:
        directory = Path(name)
        database = directory / "stored.db"
        _say("fill a database")
        stored = positions(1, sizes.stored, STORED_STONES)
        analyze(database, stored)
        with serving(database) as server:
            return {"loads": loads(server, sizes, stored, directory)}


def loads(
    server: Serving, sizes: Sizes, stored: Sequence[str], directory: Path
) -> list[dict[str, object]]:
    """Send requests as fast as the server answers."""
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
        _say(what)
        with running_batches(server.port, batches) if batches else nullcontext():
            found = load(
                server.url, targets, directory, connections=connections, seconds=sizes.seconds
            )
        measured.append({"what": what, **asdict(found)})
    return measured


class Serving(NamedTuple):
    """A running server."""

    port: int

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.port}"


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/web-log.md``."""
    found = parts["measure"].figures
    loads = [each | {"rate": each["requests"] / each["seconds"]} for each in found["loads"]]
    return {
        "run": run_lines(parts["measure"].made),
        "loads": table(
            "request | connections | answers/s | median | 99th percentile | failed",
            loads,
            "{what} | {connections} | {rate:,.0f} | {p50_ms:ms} | {p99_ms:ms} | {failed}",
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
            yield Serving(_port(process))
        finally:
            process.terminate()


def _port(process: subprocess.Popen[str]) -> int:
    said = ""
    for line in process.stdout or ():
        said += line
        if found := re.search(r"http://[\w.]+:(\d+)", line):
            return int(found[1])
    raise click.ClickException(f"c4 serve does not start: {said}")


def _say(what: str) -> None:
    click.echo(what, err=True)
