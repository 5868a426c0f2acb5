"""Measuring ``c4 book build``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks import commands
from benchmarks.record import this_processor
from c4core.book import Book
from db import jobs
from db.database import Database

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.commands import Usage


@dataclass(frozen=True, slots=True)
class Building:
    """The costs of a complete book."""

    plies: int
    positions: int
    """Positions of its last ply: without mirror images and games that are over."""
    all_positions: int
    """Positions of all plies."""
    nodes: int
    """Positions visited by the searches."""
    seconds: float
    """Wall-clock time, from the command's start to its end."""
    processor_seconds: float
    """Processor time of all threads."""
    peak_mb: float
    """The largest memory of the process, in MB."""
    file_bytes: int
    threads: int
    table_mb: int
    processor: str
    digest: str
    """The last 16 hexadecimal digits of the file; equal books have equal ones."""


def build_book(directory: Path, *, plies: int, threads: int, table_mb: int) -> Building:
    """Build a book in an empty database.

    Args:
        directory: an empty directory for the book and the database.
        plies: the number of stones of its last ply.
        threads: the number of threads of the command.
        table_mb: the size of the command's transposition table.

    Raises:
        click.ClickException: the command failed.
    """
    out = directory / "book.c4book"
    database = f"sqlite:///{directory / 'c4.db'}"
    command = ["book", "build", f"--plies={plies}", f"--threads={threads}"]
    command += [f"--table-mb={table_mb}", f"--out={out}", f"--db={database}", "--quiet"]
    usage = commands.run(command)
    with Database.open(database) as opened, opened.read() as session:
        nodes = sum(jobs.progress(session, job.id).nodes for job in jobs.list_jobs(session))
    return describe(out, nodes=nodes, usage=usage, threads=threads, table_mb=table_mb)


def describe(path: Path, *, nodes: int, usage: Usage, threads: int, table_mb: int) -> Building:
    """The costs and the contents of a book."""
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
            processor=this_processor(),
            digest=path.read_bytes()[-8:].hex(),
        )
