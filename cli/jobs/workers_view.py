"""How workers are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.output.formats import Column, write_rows
from cli.shell import echo
from workers.core.standing import worker_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.records.jobs import WorkerInfo


COLUMNS = (
    Column("worker", 20, lambda row: row["name"]),
    Column("host", 12, lambda row: row["host"]),
    Column("version", 7, lambda row: f"{row['version']}/{row['engine_version']}"),
    Column("threads", 7, lambda row: f"{row['threads']:,}", right=True),
    Column("positions", 10, lambda row: f"{row['positions_done']:,}", right=True),
    Column(
        "nodes/s",
        10,
        lambda row: "-" if row["nodes_per_second"] is None else f"{row['nodes_per_second']:,.0f}",
        right=True,
    ),
    Column("seen (UTC)", 10, lambda row: row["seen_at"].partition("T")[2].removesuffix("Z")),
)


def write_workers(workers: Sequence[WorkerInfo]) -> None:
    """Write a table of workers for people, and why some of them get no work."""
    if not workers:
        return
    echo.line()
    rows = [worker_object(worker) for worker in workers]
    write_rows(rows, "table", COLUMNS)
    for row in rows:
        if row["note"] is not None:
            echo.line(f"{row['name']}: {row['note']}")
