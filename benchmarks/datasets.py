"""The costs of labelled data sets of 7x6, built by ``c4 dataset build``.

::

    python -m benchmarks datasets build --count 100000 --plies 18..30 --threads 2
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.options import WITH_HELP, all_threads_option, table_option
from benchmarks.page import table
from benchmarks.processes import run_c4
from db import jobs
from db.database import Database

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.record import Part, Results

HEADINGS: Final = (
    "plies | positions | threads | time | positions/s | search time, all threads"
    " | nodes per position | processor time | memory | files"
)
ROW: Final = (
    "{plies} | {positions:,} | {threads} | {seconds:.1f} s | {rate:,.0f} | {search_seconds:.1f} s"
    " | {nodes_each:,.0f} | {processor_seconds:.1f} s | {peak_mb:,.0f} MB | {megabytes:.2f} MB"
)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the costs of labelled data sets of 7x6."""


@main.command()
@click.option("--count", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--plies", default="18..30", show_default=True)
@all_threads_option
@table_option(64)
@click.pass_obj
def build(results: Results, *, count: int, plies: str, threads: int, table_mb: int) -> None:
    """Build a data set in an empty database, with positions spread evenly over plies."""
    with tempfile.TemporaryDirectory() as name:
        figures = build_dataset(Path(name), count, plies, threads, table_mb)
    click.echo(figures)
    part = f"{figures['positions']} of {plies} by {threads} threads"
    results.keep("datasets", part, figures)


def build_dataset(
    directory: Path, count: int, plies: str, threads: int, table_mb: int
) -> dict[str, Any]:
    """Build a data set with ``c4 dataset build`` in an empty directory."""
    database, out = f"sqlite:///{directory / 'c4.db'}", directory / "out"
    usage = run_c4(
        *("dataset", "build", f"--count={count}", f"--plies={plies}", f"--threads={threads}"),
        *(f"--table-mb={table_mb}", f"--output={out}", f"--db={database}", "--quiet"),
    )
    with Database.open(database) as opened, opened.read() as session:
        (job,) = jobs.list_jobs(session)
    return {
        "plies": plies,
        "positions": json.loads((out / "card.json").read_text(encoding="utf-8"))["positions"],
        "threads": threads,
        "table_mb": table_mb,
        **usage._asdict(),
        "search_seconds": job.seconds,  # of all threads together
        "nodes": job.nodes,
        "file_bytes": sum(path.stat().st_size for path in out.glob("*.npz")),
    }


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/datasets-log.md``."""
    rows = [
        part.figures
        | {
            "rate": part.figures["positions"] / part.figures["seconds"],
            "nodes_each": part.figures["nodes"] / part.figures["positions"],
            "megabytes": part.figures["file_bytes"] / 1e6,
        }
        for part in parts.values()
    ]
    rows.sort(key=lambda each: (each["plies"], each["positions"], each["threads"]))
    processors = ", ".join(sorted({part.made.processor for part in parts.values()}))
    by = f"By `python -m benchmarks datasets build` on: {processors}."
    return {"times": f"\n{table(HEADINGS, rows, ROW)}\n\n{by}\n"}
