"""The gain and the cost of splitting one position over many workers.

::

    python -m benchmarks deep boards 4x4 5x4 6x4       # with c4 deep, and with one search of each
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.options import WITH_HELP, all_threads_option, table_option
from benchmarks.page import table
from benchmarks.record import ROOT
from c4core.notation import parse_board
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.record import Part, Results

FIRST_PLAYERS: Final = {
    4: {4: "=", 5: "=", 6: "-", 7: "=", 8: "-", 9: "-", 10: "-", 11: "-"},
    5: {4: "=", 5: "=", 6: "=", 7: "=", 8: "+", 9: "+", 10: "+"},
    6: {4: "=", 5: "=", 6: "-", 7: "+", 8: "-", 9: "-"},
    7: {4: "=", 5: "=", 6: "+", 7: "=", 8: "+"},
    8: {4: "=", 5: "=", 6: "-", 7: "+"},
    9: {4: "=", 5: "=", 6: "+"},
    10: {4: "=", 5: "="},
    11: {4: "="},
}
"""The known results of empty boards, by height and width: won (+), drawn (=) or lost (-) for the
first player (J. Tromp's table of solved boards)."""

SIGNS: Final = {"+": 1, "=": 0, "-": -1}
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
                threads=threads,
                table_mb=table_mb,
                minutes=minutes,
                single=single,
            )
        click.echo(figures)
        results.keep("deep", name, figures)


def prove(
    board: str, directory: Path, *, threads: int, table_mb: int, minutes: float, single: bool
) -> dict[str, Any]:
    """Prove a board in an empty directory within a time limit, and also with a single search.

    Raises:
        RuntimeError: the command failed, or its answer is wrong.
    """
    command = ["deep", "", f"--board={board}", f"--threads={threads}", f"--table-mb={table_mb}"]
    command += [f"--db={directory / f'{board}.db'}", "--json", "--quiet"]
    found = answer(command, 60 * minutes)
    score: int | None = found["score"] if found else None
    size = parse_board(board)
    value = FIRST_PLAYERS[size.height][size.width]
    if score is not None and (score > 0) - (score < 0) != SIGNS[value]:
        raise RuntimeError(f"{board}: score {score}, but the known result is {value}")
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
        "seconds": found["seconds"] if found else 60 * minutes,
        "nodes": found and found["nodes"],  # without pieces that were cut off
        "pieces": found and found["pieces"]["decided"],
        "threads": threads,
        "single_nodes": alone and alone.nodes,
        "single_seconds": alone and alone.seconds,
    }


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
        derived = {
            "result": (f"{each['score']:+d}" if each["score"] else "0") if done else "not found",
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
