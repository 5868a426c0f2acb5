"""What books of 7x6 take: built by the command that users have, or estimated from some units.

    python -m benchmarks.books build 4 6 8          # each in an empty database
    python -m benchmarks.books sample 14 --units 60

The figures are kept in docs/books.json and shown in docs/books.md.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from benchmarks import commands
from benchmarks.commands import ROOT, Usage
from benchmarks.page import fill
from benchmarks.results import this_machine
from c4core.book import Book
from c4core.book.units import cut_units
from c4core.position import Position
from c4core.reachable import open_plies
from c4core.solver import Solver
from db import jobs
from db.database import Database
from workers.books.planning import ANCESTOR_PLIES, LEAST_POSITIONS, MOST_BY_LEAST

FIGURES: Final = ROOT / "docs" / "books.json"
PAGE: Final = ROOT / "docs" / "books.md"

COLUMNS: Final = (
    "plies",
    "positions of the last",
    "of all",
    "nodes",
    "time",
    "threads",
    "processor time",
    "memory",
    "file",
    "bytes a position",
)

HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Building:
    """What a complete book took."""

    plies: int
    positions: int
    """Of its last ply: mirror-reduced, not over."""
    all_positions: int
    """Of all plies."""
    nodes: int
    """Visited by the searches."""
    seconds: float
    """Wall-clock time, from the command's start to its end."""
    processor_seconds: float
    """Of all threads."""
    peak_mb: float
    """The most memory that the process has had."""
    file_bytes: int
    threads: int
    table_mb: int
    processor: str
    digest: str
    """The last 16 hexadecimal digits of the file: the same for the same book."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a complete book's deepest ply would take, from some of its units."""

    plies: int
    positions: int
    """Of the ply: mirror-reduced, not over."""
    searched: int
    """Those that nobody wins at once."""
    units: int
    """That were solved, chosen by chance."""
    unit_positions: int
    """In them."""
    nodes: int
    """In them."""
    seconds: float
    """For them, of one thread."""
    processor: str

    @property
    def hours(self) -> float:
        """For the ply, of one thread."""
        return self.seconds / self.unit_positions * self.searched / HOUR


@click.group()
def main() -> None:
    """What books of 7x6 take, measured."""


@main.command()
@click.argument("plies", type=click.IntRange(0, 14), nargs=-1, required=True)
@click.option("--threads", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
@click.option("--table-mb", type=click.IntRange(1), default=16, show_default=True)
def build(plies: tuple[int, ...], threads: int, table_mb: int) -> None:
    """Build books in an empty database."""
    for last in plies:
        with tempfile.TemporaryDirectory() as directory:
            building = _build(Path(directory), last, threads, table_mb)
        click.echo(building)
        keep("built", building)


@main.command()
@click.argument("ply", type=click.IntRange(ANCESTOR_PLIES, 14))
@click.option("--units", type=click.IntRange(1), default=60, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def sample(ply: int, units: int, seed: int) -> None:
    """Solve some units of a ply, and say what all would take."""
    levels = list(islice(open_plies(Position()), ply - ANCESTOR_PLIES, ply + 1))
    cut = list(cut_units(levels, least=LEAST_POSITIONS, most=LEAST_POSITIONS * MOST_BY_LEAST))
    searched = sum(map(len, cut))
    chosen = np.random.default_rng(seed).choice(len(cut), min(units, len(cut)), replace=False)
    solver = Solver(table_mb=16)
    nodes, seconds = 0, 0.0
    for index in chosen.tolist():
        found = solver.solve_many(cut[index])
        nodes, seconds = nodes + int(found.nodes.sum()), seconds + found.seconds
    in_them = sum(len(cut[index]) for index in chosen.tolist())
    estimate = Sample(
        ply,
        len(levels[-1]),
        searched,
        len(chosen),
        in_them,
        nodes,
        seconds,
        str(this_machine()["processor"]),
    )
    click.echo(f"{estimate}: {estimate.hours:.2f} h of one thread for all")
    keep("sampled", estimate)


def _build(directory: Path, plies: int, threads: int, table_mb: int) -> Building:
    out = directory / "book.c4book"
    database = f"sqlite:///{directory / 'c4.db'}"
    command = ["book", "build", f"--plies={plies}", f"--threads={threads}"]
    command += [f"--table-mb={table_mb}", f"--out={out}", f"--db={database}", "--quiet"]
    usage = commands.run(command)
    with Database.open(database) as opened, opened.read() as session:
        nodes = sum(jobs.progress(session, job.id).nodes for job in jobs.list_jobs(session))
    return describe(
        out,
        nodes=nodes,
        usage=usage,
        threads=threads,
        table_mb=table_mb,
    )


def describe(path: Path, *, nodes: int, usage: Usage, threads: int, table_mb: int) -> Building:
    """What a book took, and what is in it."""
    with Book.open(path) as book:
        info = book.info
        return Building(
            plies=info.last_ply,
            positions=info.plies[-1].positions,
            all_positions=len(book),
            nodes=nodes,
            seconds=usage.seconds,
            processor_seconds=usage.processor_seconds,
            peak_mb=usage.peak_mb,
            file_bytes=path.stat().st_size,
            threads=threads,
            table_mb=table_mb,
            processor=str(this_machine()["processor"]),
            digest=path.read_bytes()[-8:].hex(),
        )


def keep(kind: str, figure: Building | Sample) -> None:
    """Put a figure in the place of an older one for the same plies, and write the page anew."""
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {"built": [], "sampled": []}
    others = [entry for entry in figures[kind] if entry["plies"] != figure.plies]
    figures[kind] = sorted([*others, asdict(figure)], key=lambda entry: entry["plies"])
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    table = "\n".join(page_lines(figures))
    page = fill(PAGE.read_text(encoding="utf-8"), {"times": f"\n{table}\n"})
    PAGE.write_text(page, encoding="utf-8")


def page_lines(figures: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The tables, in Markdown."""
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
    ]
    for entry in figures["built"]:
        built = Building(**entry)
        lines.append(
            f"| {built.plies} | {built.positions:,} | {built.all_positions:,} | "
            f"{built.nodes / 1e9:,.1f} G | {_time(built.seconds)} | {built.threads} | "
            f"{_time(built.processor_seconds)} | {built.peak_mb:,.0f} MB | "
            f"{built.file_bytes:,} bytes | {built.file_bytes / built.all_positions:.2f} |"
        )
    processors = sorted({str(entry["processor"]) for entry in figures["built"]})
    lines += ["", f"By `python -m benchmarks.books build` on: {', '.join(processors)}."]
    for entry in figures["sampled"]:
        sampled = Sample(**entry)
        told = (
            f"To ply {sampled.plies}: {sampled.positions:,} positions, {sampled.searched:,} to be "
            f"searched; {sampled.units} of the units, {sampled.unit_positions:,} positions, took "
            f"{sampled.seconds:.0f} s of one thread, {sampled.nodes / sampled.unit_positions:,.0f} "
            f"nodes a position: {sampled.hours:.1f} core-hours for all "
            f"(`python -m benchmarks.books sample {sampled.plies} --units {sampled.units}`, "
            f"{sampled.processor})."
        )
        lines += ["", told]
    return lines


def _time(seconds: float) -> str:
    """Hours, minutes, seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


if __name__ == "__main__":
    main()
