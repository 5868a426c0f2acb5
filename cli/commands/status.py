"""``c4 status``: show what all jobs together are doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.output.formats import Column, write_object, write_rows
from cli.output.render import duration
from cli.output.tables import write_facts
from cli.shell.commands import Command
from cli.shell.process import echo
from db.jobs import totals as read_totals
from workers.core.follow import status_object, worker_object
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.shell.settings import Settings
    from db.records.jobs import ServiceStatus, WorkerInfo


@click.command(cls=Command, examples=["c4 status", "c4 status --json"])
@click.pass_obj
def status(settings: Settings) -> None:
    """Show queued and running work, its speed, and the workers.

    Rate and remaining time are based on the last minute. The remaining time is unknown until enough
    work is done, and both are unknown while no process is working. Workers of "c4 worker" and other
    commands count as "at work". The table of workers shows the nodes per second of one of their
    threads ("nodes/s") and the time of their last sign of life ("seen").
    """
    with settings.open_database() as database, database.read() as session:
        totals = read_totals(session)
    if settings.json:
        write_object({"database": database.url, **status_object(totals)})
        return
    _show(totals, database.url)
    if (totals.queued_units or totals.running_units) and not totals.workers:
        settings.say(
            "No process is working on the running jobs: start workers with c4 worker, or continue "
            "a job with c4 jobs resume."
        )


def _show(totals: ServiceStatus, url: str) -> None:
    rate, rest = totals.positions_per_second, totals.eta_seconds
    oldest = totals.oldest_queued_seconds
    by_state = ", ".join(f"{number:,} {state}" for state, number in totals.jobs.items() if number)
    write_facts(
        {
            "database": url,
            "jobs": by_state or "none",
            "queued": f"{count(totals.queued_positions, 'position')}"
            f" in {count(totals.queued_units, 'unit')}",
            "running": f"{count(totals.running_positions, 'position')}"
            f" in {count(totals.running_units, 'unit')}",
            "failed": count(totals.failed_units, "unit"),
            "workers": f"{totals.workers:,} at work,"
            f" {len(totals.live_workers):,} of c4 worker alive",
            "rate": "-" if rate is None else f"{rate:,.0f} positions/s",
            "remaining": duration(rest) if rest else "-" if rest == 0 else "unknown",
            "oldest queued": "-" if oldest is None else duration(oldest),
        }
    )
    write_workers(totals.live_workers)


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
    """Write a table of workers for people."""
    if not workers:
        return
    echo()
    write_rows(map(worker_object, workers), "table", COLUMNS)
