"""What labelled data sets of 7x6 take, by the command that users have, end to end.

    python -m benchmarks.datasets --count 100000 --plies 18..30 --threads 2

The figures are kept in docs/datasets.json and shown in docs/datasets.md.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import click

from benchmarks.engine import commands
from benchmarks.engine.commands import ROOT
from benchmarks.engine.results import this_machine
from benchmarks.page import fill
from db import jobs
from db.database import Database

FIGURES: Final = ROOT / "docs" / "datasets.json"
PAGE: Final = ROOT / "docs" / "datasets.md"

COLUMNS: Final = (
    "plies",
    "positions",
    "threads",
    "time",
    "positions/s",
    "of it searching, all threads",
    "nodes a position",
    "processor time",
    "memory",
    "files",
)


@dataclass(frozen=True, slots=True)
class Building:
    """What a data set took."""

    plies: str
    positions: int
    threads: int
    table_mb: int
    seconds: float
    """Wall-clock time, from the command's start to its end, in an empty database."""
    search_seconds: float
    """Of the searches, summed over threads."""
    processor_seconds: float
    """Of all threads."""
    nodes: int
    """Visited by the searches."""
    peak_mb: float
    """The most memory that the process has had."""
    file_bytes: int
    """Of all parts, as NPZ."""
    processor: str

    @property
    def rate(self) -> float:
        """Positions a second, end to end."""
        return self.positions / self.seconds


@click.command()
@click.option("--count", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--plies", default="18..30", show_default=True)
@click.option("--threads", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
@click.option("--table-mb", type=click.IntRange(1), default=64, show_default=True)
def main(count: int, plies: str, threads: int, table_mb: int) -> None:
    """Build a data set in an empty database, uniformly over plies, and keep what it took."""
    with tempfile.TemporaryDirectory() as directory:
        building = build(Path(directory), count, plies, threads, table_mb)
    click.echo(building)
    keep(building)


def build(directory: Path, count: int, plies: str, threads: int, table_mb: int) -> Building:
    """Make a data set and measure it.

    Args:
        directory: empty; for database and files.
        count: positions.
        plies: of them, as the command takes it.
        threads: that search.
        table_mb: megabytes that they share.

    Raises:
        click.ClickException: the command failed.
    """
    database, out = f"sqlite:///{directory / 'c4.db'}", directory / "out"
    command = ["dataset", "build", f"--count={count}", f"--plies={plies}", f"--threads={threads}"]
    command += [f"--table-mb={table_mb}", f"--output={out}", f"--db={database}", "--quiet"]
    usage = commands.run(command)
    with Database.open(database) as opened, opened.read() as session:
        (job,) = jobs.list_jobs(session)
    return Building(
        plies=plies,
        positions=json.loads((out / "card.json").read_text(encoding="utf-8"))["positions"],
        threads=threads,
        table_mb=table_mb,
        seconds=usage.seconds,
        search_seconds=job.seconds,
        processor_seconds=usage.processor_seconds,
        nodes=job.nodes,
        peak_mb=usage.peak_mb,
        file_bytes=sum(path.stat().st_size for path in out.glob("*.npz")),
        processor=str(this_machine()["processor"]),
    )


def keep(building: Building) -> None:
    """Put a figure in the place of an older one for the same, and write the page anew."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else []
    others = [entry for entry in figures if _case(entry) != _case(asdict(building))]
    figures = sorted([*others, asdict(building)], key=_case)
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    table = "\n".join(page_lines(figures))
    page = fill(PAGE.read_text(encoding="utf-8"), {"times": f"\n{table}\n"})
    PAGE.write_text(page, encoding="utf-8")


def page_lines(figures: list[dict[str, Any]]) -> list[str]:
    """The table, in Markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    for entry in figures:
        built = Building(**entry)
        lines.append(
            f"| {built.plies} | {built.positions:,} | {built.threads} | {built.seconds:.1f} s | "
            f"{built.rate:,.0f} | {built.search_seconds:.1f} s | "
            f"{built.nodes / built.positions:,.0f} | {built.processor_seconds:.1f} s | "
            f"{built.peak_mb:,.0f} MB | {built.file_bytes / 1e6:.2f} MB |"
        )
    processors = sorted({str(entry["processor"]) for entry in figures})
    return [*lines, "", f"By `python -m benchmarks.datasets` on: {', '.join(processors)}."]


def _case(entry: dict[str, Any]) -> tuple[str, int, int]:
    return entry["plies"], entry["positions"], entry["threads"]


if __name__ == "__main__":
    main()
