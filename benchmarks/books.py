"""The costs of books of 7x6: built by ``c4 book build``, or estimated from a sample of units.

::

    python -m benchmarks books build 4 6 8          # each in an empty database
    python -m benchmarks books sample 14 --units 60
"""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from benchmarks.options import WITH_HELP, all_threads_option, seed_option, table_option
from benchmarks.page import table, text
from benchmarks.processes import run_c4
from benchmarks.record import Part, Results, figures_of
from c4core.arrays import open_plies
from c4core.book import Book
from c4core.book.units import cut_units
from c4core.position import Position
from c4core.solver import Solver
from db import jobs
from db.database import Database
from workers.book.job import ANCESTOR_PLIES, LEAST_POSITIONS, MAX_BY_LEAST

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE_MB: Final = 16
HOUR: Final = 3600.0

HEADINGS: Final = (
    "plies | positions of the last | of all | nodes | time | threads | processor time | memory"
    " | file | bytes per position"
)
ROW: Final = (
    "{plies} | {positions:,} | {all_positions:,} | {giganodes:,.1f} G | {seconds:span} | {threads}"
    " | {processor_seconds:span} | {peak_mb:,.0f} MB | {file_bytes:,} bytes | {each:.2f}"
)
ESTIMATE: Final = (
    "To ply {plies}: {positions:,} positions, {searched:,} of them searched. A sample of {units} "
    "units ({unit_positions:,} positions) took {seconds:.0f} s of one thread, with {each:,.0f} "
    "nodes per position. The estimate for all is {hours:.1f} core-hours "
    "(`python -m benchmarks books sample {plies} --units {units}`, {processor})."
)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the costs of books of 7x6."""


@main.command()
@click.argument("plies", type=click.IntRange(0, 14), nargs=-1, required=True)
@all_threads_option
@table_option(TABLE_MB)
@click.pass_obj
def build(results: Results, *, plies: tuple[int, ...], threads: int, table_mb: int) -> None:
    """Build books, each in an empty database."""
    for last in plies:
        with tempfile.TemporaryDirectory() as directory:
            figures = build_book(Path(directory), last, threads, table_mb)
        click.echo(figures)
        results.keep("books", f"build {last}", figures)


@main.command()
@click.argument("ply", type=click.IntRange(ANCESTOR_PLIES, 14))
@click.option("--units", type=click.IntRange(1), default=60, show_default=True)
@seed_option
@click.pass_obj
def sample(results: Results, *, ply: int, units: int, seed: int) -> None:
    """Solve a sample of the units of a ply, and estimate the cost of all units."""
    figures = take_sample(ply, units, seed=seed)
    click.echo(f"{figures}: {_hours(figures):.2f} h of one thread for all")
    results.keep("books", f"sample {ply}", figures)


def build_book(directory: Path, plies: int, threads: int, table_mb: int) -> dict[str, Any]:
    """Build a book with ``c4 book build`` in an empty directory."""
    out, database = directory / "book.c4book", f"sqlite:///{directory / 'c4.db'}"
    usage = run_c4(
        *("book", "build", f"--plies={plies}", f"--threads={threads}", f"--table-mb={table_mb}"),
        *(f"--out={out}", f"--db={database}", "--quiet"),
    )
    with Database.open(database) as opened, opened.read() as session:
        nodes = sum(jobs.progress(session, job.id).nodes for job in jobs.list_jobs(session))
    with Book.open(out) as book:
        return {
            "plies": book.info.last_ply,
            "positions": book.info.plies[-1].positions,  # without mirror images and finished games
            "all_positions": len(book),
            "nodes": nodes,
            **usage._asdict(),
            "file_bytes": out.stat().st_size,
            "threads": threads,
            "table_mb": table_mb,
            "digest": out.read_bytes()[-8:].hex(),  # equal for equal books
        }


def take_sample(ply: int, units: int, *, seed: int) -> dict[str, Any]:
    """Cut a ply into units as a job does, and solve a random sample of them."""
    levels = list(islice(open_plies(Position()), ply - ANCESTOR_PLIES, ply + 1))
    cut = list(cut_units(levels, least=LEAST_POSITIONS, most=LEAST_POSITIONS * MAX_BY_LEAST))
    chosen = np.random.default_rng(seed).choice(len(cut), min(units, len(cut)), replace=False)
    solver = Solver(table_mb=TABLE_MB)
    nodes, seconds = 0, 0.0
    for index in chosen.tolist():
        found = solver.solve_many(cut[index], related=True)
        nodes, seconds = nodes + int(found.nodes.sum()), seconds + found.seconds
    return {
        "plies": ply,
        "positions": len(levels[-1]),  # without mirror images and finished games
        "searched": sum(map(len, cut)),  # without immediate wins
        "units": len(chosen),
        "unit_positions": sum(len(cut[index]) for index in chosen.tolist()),
        "nodes": nodes,
        "seconds": seconds,
    }


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/books-log.md``."""
    built = sorted(figures_of(parts, "build"), key=lambda each: each["plies"])
    rows = [
        each
        | {
            "giganodes": each["nodes"] / 1e9,
            "each": each["file_bytes"] / each["all_positions"],
        }
        for each in built
    ]
    processors = ", ".join(sorted({each["processor"] for each in built}))
    estimates = [
        text(
            ESTIMATE,
            each | {"each": each["nodes"] / each["unit_positions"], "hours": _hours(each)},
        )
        for each in figures_of(parts, "sample")
    ]
    by = f"By `python -m benchmarks books build` on: {processors}."
    return {"times": "\n" + "\n\n".join([table(HEADINGS, rows, ROW), by, *estimates]) + "\n"}


def _hours(figures: Mapping[str, Any]) -> float:
    """The estimated hours of one thread for the complete ply."""
    return float(figures["seconds"] / figures["unit_positions"] * figures["searched"] / HOUR)
