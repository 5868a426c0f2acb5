"""The gain and the cost of splitting one position over many workers.

::

    python -m benchmarks deep boards 4x4 5x4 6x4       # with c4 deep, and with one search of each
    python -m benchmarks deep boards 12x4 --minutes 120 --no-single --table-mb 1024

If the time runs out, ``benchmarks/results/proven/BOARD.json`` keeps all proven bounds. The next run
begins with them, on any machine.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.options import WITH_HELP, all_threads_option, table_option
from benchmarks.page import table
from benchmarks.record import ROOT
from c4core.evaluation import signed
from c4core.notation import parse_board
from c4core.position import Position
from c4core.solved import published_score
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import evaluations, jobs
from db.database import Database
from db.errors import JobNotFoundError
from db.records.evaluations import EvaluationFilter, StoredEvaluation
from workers.deep.answer import Observer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.record import Part, Results
    from c4core.notation import BoardSize

STOP_SECONDS: Final = 60.0
"""Time limit for a command to stop after SIGTERM."""

HEADINGS: Final = (
    "board | score | by `c4 deep` | nodes | pieces | one search, one thread | its nodes"
    " | node ratio | speed-up"
)
ROW: Final = (
    "{board} | {result} | {limit}{seconds:span} | {nodes:,} | {pieces:,} | {single_seconds:span}"
    " | {single_nodes:,} | {nodes_times:.2f} | {speed_up:.2f}"
)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the gain from splitting one position over many workers."""


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--minutes", type=click.FloatRange(0, min_open=True), default=30.0, show_default=True)
@all_threads_option
@table_option(64)
@click.option("--single/--no-single", default=True, help="Also search with one thread.")
@click.pass_obj
def boards(
    results: Results,
    *,
    names: tuple[str, ...],
    minutes: float,
    threads: int,
    table_mb: int,
    single: bool,
) -> None:
    """Prove empty boards with c4 deep, each in an empty database."""
    for name in names:
        with TemporaryDirectory() as directory:
            figures = prove(
                name,
                Path(directory),
                results.directory / "proven" / f"{name}.json",
                threads=threads,
                table_mb=table_mb,
                minutes=minutes,
                single=single,
            )
        click.echo(figures)
        results.keep("deep", name, figures)


def prove(
    board: str,
    directory: Path,
    proven: Path,
    *,
    threads: int,
    table_mb: int,
    minutes: float,
    single: bool,
) -> dict[str, Any]:
    """Prove a board in an empty directory within a time limit, and also with a single search.

    An earlier run that did not end left its bounds in the file ``proven``.

    Raises:
        RuntimeError: the command failed, or its answer is wrong.
    """
    size, url = parse_board(board), str(directory / f"{board}.db")
    seconds, nodes, pieces = restore(proven, size, url)
    command = ["deep", "", f"--board={board}", f"--threads={threads}", f"--table-mb={table_mb}"]
    found = answer([*command, f"--db={url}", "--json", "--quiet"], 60 * minutes)
    seconds += found["seconds"] if found else 60 * minutes
    score: int | None = found["score"] if found else None
    if found:
        bounds: list[int] | None = [found["score"]] * 2
        nodes, pieces = nodes + found["nodes"], pieces + found["pieces"]["decided"]
        proven.unlink(missing_ok=True)
    else:
        bounds = keep(proven, size, url, seconds=seconds, nodes=nodes, pieces=pieces)
    published = published_score(size)
    if published is not None and score not in {None, published}:
        raise RuntimeError(f"{board}: score {score}, but {published} is published")
    alone = None
    if single:
        start = Position(width=size.width, height=size.height)
        alone = Solver(table_mb=table_mb).solve(start, time_limit=60 * minutes)
        if alone.score is None:
            alone = None
        elif score not in {None, alone.score}:
            raise RuntimeError(f"{board}: {score} by pieces, {alone.score} by one search")
    return {
        "board": board,
        "score": score,  # for the first player; None if time ran out
        "bounds": bounds,
        "seconds": seconds,  # of all runs, as are the nodes and the pieces
        "nodes": found and nodes,  # without pieces that were cut off
        "pieces": found and pieces,
        "threads": threads,
        "single_nodes": alone and alone.nodes,
        "single_seconds": alone and alone.seconds,
    }


def restore(proven: Path, board: BoardSize, url: str) -> tuple[float, int, int]:
    """Store the bounds of earlier runs; return the seconds, nodes and pieces of those runs."""
    if not proven.exists():
        return 0.0, 0, 0
    kept = json.loads(proven.read_text(encoding="utf-8"))
    rows = [
        StoredEvaluation(key, board.width, board.height, ply, lower, upper, nodes, ENGINE_VERSION)
        for ply, key, lower, upper, nodes in kept["bounds"]
    ]
    with Database.open(url) as database:
        database.run(lambda session: evaluations.store(session, board, rows))
    return float(kept["seconds"]), kept["nodes"], kept["pieces"]


def keep(
    proven: Path, board: BoardSize, url: str, *, seconds: float, nodes: int, pieces: int
) -> list[int] | None:
    """Keep all proven bounds, as rows of ply, key, bounds and nodes; return the board's own.

    ``nodes`` and ``pieces`` are the sums of earlier runs, ``seconds`` of all runs.
    """
    with Database.open(url) as database:
        with suppress(JobNotFoundError), database.read() as session:
            job = jobs.get_job(session, 1)
            nodes, pieces = nodes + job.nodes, pieces + Observer(job).look(session).decided
        rows = [
            [row.ply, row.key, row.lower, row.upper, row.nodes]
            for row in evaluations.stream(database, EvaluationFilter(board=board))
        ]
    if not rows:
        return None
    lines = ",\n".join(map(json.dumps, rows))
    proven.parent.mkdir(parents=True, exist_ok=True)
    effort = f'"seconds": {seconds:.0f}, "nodes": {nodes}, "pieces": {pieces}'
    proven.write_text(
        f'{{"board": "{board}", {effort}, "bounds": [\n{lines}]}}\n', encoding="utf-8"
    )
    return rows[0][2:4]


def answer(command: list[str], seconds: float) -> dict[str, Any] | None:
    """The JSON output of ``c4``; None if it did not end in time."""
    whole = [sys.executable, "-m", "cli", *command]
    process = subprocess.Popen(whole, cwd=ROOT, stdout=subprocess.PIPE)
    with process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=STOP_SECONDS)
            return None
    if process.returncode:
        raise RuntimeError(f"c4 {' '.join(command)} failed with exit code {process.returncode}")
    answer: dict[str, Any] = json.loads(output)
    return answer


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/deep-log.md``."""
    rows = []
    machines: dict[str, list[str]] = {}
    for part in sorted(
        parts.values(), key=lambda part: (part.figures["score"] is None, part.figures["seconds"])
    ):
        each = part.figures
        machine = f"{part.made.processor}, {each['threads']} threads"
        machines.setdefault(machine, []).append(each["board"])
        done, alone = each["score"] is not None, each["single_seconds"]
        lower, upper = (signed(bound) for bound in each.get("bounds") or (0, 0))
        derived = {
            "result": signed(each["score"]) if done else f"{lower} to {upper}",
            "limit": "" if done else "more than ",
            "nodes_times": each["nodes"] / each["single_nodes"] if done and alone else None,
            "speed_up": alone / each["seconds"] if done and alone else None,
        }
        rows.append(each | derived)
    first, *others = sorted(machines, key=lambda each: -len(machines[each]))
    shares = "; ".join([first, *(f"{each} ({', '.join(machines[each])})" for each in others)])
    return {
        "boards": f"{table(HEADINGS, rows, ROW)}\n\nScores are the first player's. On: {shares}."
    }
