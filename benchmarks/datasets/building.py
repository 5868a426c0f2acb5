"""Measuring ``c4 dataset build``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import commands
from benchmarks.record import this_processor
from db import jobs
from db.database import Database

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Building:
    """The costs of a data set."""

    plies: str
    positions: int
    threads: int
    table_mb: int
    seconds: float
    """Wall-clock time from the command's start to its end, with an empty database."""
    search_seconds: float
    """Seconds of the searches, summed over threads."""
    processor_seconds: float
    """Processor time of all threads."""
    nodes: int
    """Positions visited by the searches."""
    peak_mb: float
    """The largest memory of the process."""
    file_bytes: int
    """Bytes of all parts, as NPZ."""
    processor: str

    @property
    def rate(self) -> float:
        """Positions in a second of the whole command."""
        return self.positions / self.seconds


def build(directory: Path, count: int, plies: str, threads: int, table_mb: int) -> Building:
    """Make a data set and measure it.

    Args:
        directory: an empty directory for the database and the files.
        count: the number of positions.
        plies: the plies of the positions, as the command takes them.
        threads: the number of threads that search.
        table_mb: the size of the table that they share.

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
        processor=this_processor(),
    )
