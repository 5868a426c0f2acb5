"""Measure one ``c4 serve`` under load, with a server and databases of its own.

::

    python -m benchmarks web measure       # needs wrk, Debian's package of that name
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from importlib import metadata
from itertools import islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from benchmarks.games import different_games, random_games
from benchmarks.options import WITH_HELP
from benchmarks.page import run_lines, table
from benchmarks.processes import run_c4
from benchmarks.record import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.record import Part, Results

CONNECTIONS: Final = 16
CLIENTS: Final = 100
SOLVE: Final = "/solve?pos="
POSITION: Final = "/api/v1/position?moves="
STORED_STONES: Final = 22
RATE: Final = "--rate=0"
"""No rate limit: all load comes from one address, which is otherwise limited to 50 requests/s."""
SECONDS: Final = 10
OPENINGS: Final = 100_000
"""Number of positions from the book."""
STORED: Final = 50_000
"""Number of positions in the database."""
BOOK_PLIES: Final = 11
"""Maximum stones of positions from the book. It goes one ply deeper, so it has all columns."""
SCRIPT: Final = """
local targets = {}
for line in io.lines("%s") do targets[#targets + 1] = line end
local next_one = 0
request = function()
  next_one = next_one %% #targets + 1
  return wrk.format("GET", targets[next_one])
end
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\\nRESULT {"requests": %%d, "microseconds": %%d, "p50": %%d, "p99": %%d, ' ..  -- words: ok
    '"longest": %%d, "failed": %%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency.max, e.connect + e.read + e.write + e.status + e.timeout))
end
"""
"""A script for ``wrk``. It requests one address after the other, and reports the result."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure one `c4 serve` under load."""


@main.command()
@click.pass_obj
def measure(results: Results) -> None:
    """Run all measurements. Needs wrk, the Debian package of that name."""
    if shutil.which("wrk") is None:
        raise click.ClickException("wrk is not installed: install Debian's package wrk")
    with TemporaryDirectory() as name:
        directory = Path(name)
        database = directory / "stored.db"
        click.echo("fill a database", err=True)
        games = different_games(random.Random(1), STORED_STONES, STORED)  # noqa: S311 (no secret)
        stored = [game.moves for game in games]
        analyze(database, stored)
        with serving(database) as url:
            figures = {"loads": loads(url, stored, directory)}
    packages = ("starlette", "uvicorn", "uvloop", "h11")
    versions = {name: metadata.version(name) for name in packages}
    results.keep("web", "measure", figures, **versions)


def loads(url: str, stored: Sequence[str], directory: Path) -> list[dict[str, object]]:
    """Send requests as fast as the server answers."""
    openings = book_moves(2, OPENINGS)
    walks = steps(3, CLIENTS, 20)
    cases = [
        ("the book, `/solve`", [SOLVE + moves for moves in openings], CONNECTIONS),
        ("the book, `/api/v1/position`", [POSITION + moves for moves in openings], CONNECTIONS),
        ("stored, `/solve`", [SOLVE + moves for moves in stored], CONNECTIONS),
        ("stored, `/api/v1/position`", [POSITION + moves for moves in stored], CONNECTIONS),
        ("100 clients step through openings", [POSITION + moves for moves in walks], CLIENTS),
    ]
    measured = []
    for what, targets, connections in cases:
        click.echo(what, err=True)
        found = load(url, targets, directory, connections=connections)
        measured.append({"what": what, **found})
    return measured


def load(
    url: str, targets: Sequence[str], directory: Path, *, connections: int
) -> dict[str, float]:
    """Send requests for some seconds; after the last target, start again with the first."""
    questions, script = directory / "targets.txt", directory / "ask.lua"
    questions.write_text("".join(f"{target}\n" for target in targets), encoding="ascii")
    script.write_text(SCRIPT % questions, encoding="ascii")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--timeout=30s", f"-s{script}"]
    ended = subprocess.run([*command, url], capture_output=True, text=True, check=False)
    _, _, result = ended.stdout.partition("RESULT ")
    if not result:
        raise click.ClickException(f"wrk: {ended.stdout} {ended.stderr}")
    found = json.loads(result)
    return {
        "connections": connections,
        "requests": found["requests"],
        "seconds": found["microseconds"] / 1e6,
        "p50_ms": found["p50"] / 1e3,
        "p99_ms": found["p99"] / 1e3,
        "longest_ms": found["longest"] / 1e3,
        "failed": found["failed"],  # error responses and broken connections
    }


def book_moves(seed: int, count: int) -> list[str]:
    """Random openings; every number of stones is equally frequent."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    moves = []
    for stones in range(BOOK_PLIES + 1):
        games = random_games(chance, stones)
        moves += [game.moves for game in islice(games, count // (BOOK_PLIES + 1))]
    chance.shuffle(moves)
    return moves


def steps(seed: int, clients: int, games: int) -> list[str]:
    """Interleaved requests of clients that step through the positions of games."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    walks = [list(_walk(chance, games)) for _ in range(clients)]
    return [moves for turn in zip_longest(*walks) for moves in turn if moves is not None]


def _walk(chance: random.Random, games: int) -> Iterator[str]:
    for game in islice(random_games(chance, BOOK_PLIES), games):
        yield from (game.moves[:length] for length in range(len(game.moves) + 1))


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
