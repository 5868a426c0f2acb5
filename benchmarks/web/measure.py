"""Measure one ``c4 serve`` under load, with a server and databases of its own.

::

    python -m benchmarks web measure       # needs wrk, Debian's package of that name
"""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

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
    solve_targets,
    steps,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.record import Part, Results

CONNECTIONS: Final = 16
CLIENTS: Final = 100
STORED_STONES: Final = 22
RATE: Final = "--rate=0"
"""No rate limit: all load comes from one address, which is otherwise limited to 50 requests/s."""


SECONDS: Final = 10
OPENINGS: Final = 100_000
"""Number of positions from the book."""
STORED: Final = 50_000
"""Number of positions in the database."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure one `c4 serve` under load."""


@main.command()
@click.pass_obj
def measure(results: Results) -> None:
    """Run all measurements. Needs wrk, the Debian package of that name."""
    require_wrk()
    with TemporaryDirectory() as name:
        directory = Path(name)
        database = directory / "stored.db"
        _say("fill a database")
        stored = positions(1, STORED, STORED_STONES)
        analyze(database, stored)
        with serving(database) as url:
            figures = {"loads": loads(url, stored, directory)}
    packages = ("starlette", "uvicorn", "uvloop", "httptools")
    versions = {name: metadata.version(name) for name in packages}
    results.keep("web", "measure", figures, **versions)


def loads(url: str, stored: Sequence[str], directory: Path) -> list[dict[str, object]]:
    """Send requests as fast as the server answers."""
    openings = book_moves(2, OPENINGS)
    walks = steps(3, CLIENTS, 20)
    cases = [
        ("the book, `/solve`", solve_targets(openings), CONNECTIONS),
        ("the book, `/api/v1/position`", position_targets(openings), CONNECTIONS),
        ("stored, `/solve`", solve_targets(stored), CONNECTIONS),
        ("stored, `/api/v1/position`", position_targets(stored), CONNECTIONS),
        ("100 clients step through openings", position_targets(walks), CLIENTS),
    ]
    measured = []
    for what, targets, connections in cases:
        _say(what)
        found = load(url, targets, directory, connections=connections, seconds=SECONDS)
        measured.append({"what": what, **asdict(found)})
    return measured


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/web-log.md``."""
    rows = [
        f"{each['what']} | {each['connections']} | {each['requests'] / each['seconds']:,.0f} | "
        f"{_milliseconds(each['p50_ms'])} | {_milliseconds(each['p99_ms'])} | {each['failed']}"
        for each in parts["measure"].figures["loads"]
    ]
    headings = "request | connections | answers/s | median | 99th percentile | failed"
    return {"run": run_lines(parts["measure"].made), "loads": table(headings, rows)}


def _milliseconds(value: float) -> str:
    return f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"  # noqa: PLR2004


def analyze(database: Path, moves: Sequence[str]) -> None:
    """Store positions in a database with ``c4 analyze``."""
    questions = database.with_suffix(".txt")
    questions.write_text("".join(f"{text}\n" for text in moves), encoding="ascii")
    output = database.with_suffix(".jsonl")
    run_c4("analyze", str(questions), f"--output={output}", f"--db={database}", "--quiet")


@contextmanager
def serving(database: Path) -> Iterator[str]:
    """Run a server until the end of the block."""
    command = [sys.executable, "-m", "cli", "serve", "--port=0", RATE, f"--db={database}"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()


def _address(process: subprocess.Popen[str]) -> str:
    said = ""
    for line in process.stdout or ():
        said += line
        if found := re.search(r"http://[\w.]+:\d+", line):
            return found[0]
    raise click.ClickException(f"c4 serve does not start: {said}")


def _say(what: str) -> None:
    click.echo(what, err=True)
