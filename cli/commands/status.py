"""``c4 status``: show what all jobs together are doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.output.formats import Column, write_object, write_rows
from cli.output.render import duration
from cli.output.tables import write_facts
from cli.shell.commands import Command
from cli.shell.process import Exit, echo
from db.errors import StorageError
from db.jobs.watching import totals as read_totals
from workers.core.follow import problems, status_object, worker_object
from workers.errors import BrokerUnreachableError
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.shell.settings import Settings
    from db.records.jobs import ServiceStatus, WorkerInfo


@click.command(cls=Command, broker=True, examples=["c4 status", "c4 status --check"])
@click.option("--check", is_flag=True, help="End with exit code 1 if there is a problem.")
@click.pass_obj
def status(settings: Settings, *, check: bool) -> None:
    """Show queued and running work, its speed, the workers, and problems.

    Rate and remaining time are based on the last minute. The remaining time is unknown until enough
    work is done, and both are unknown while no process is working. Workers of "c4 worker" and other
    commands count as "at work". The table of workers shows the nodes per second of one of their
    threads ("nodes/s") and the time of their last sign of life ("seen").

    With a broker, the workers that answer there are counted, which takes a second. Problems are: a
    broker that does not answer, and workers of another build or at another broker. Run "c4 status
    --check" on a new machine before "c4 worker".
    """
    found: list[str] = []
    broker, answering = _ask_broker(settings, found)
    try:
        with settings.open_database() as database:
            totals = database.ask(read_totals)
        found += problems(totals.live_workers, answering)
    except StorageError:
        _say_problems(settings, found)
        raise
    if settings.json:
        asked = {"url": broker, "workers": None if answering is None else sorted(answering)}
        fields = {"database": database.url, "broker": asked, "problems": found}
        write_object(fields | status_object(totals))
    else:
        _show(totals, database.url, broker, answering)
        _say_problems(settings, found)
        if (totals.queued_units or totals.running_units) and not totals.workers:
            settings.say(
                "No process is working on the running jobs: start workers with c4 worker, or "
                "continue a job with c4 jobs resume."
            )
    if check and found:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _say_problems(settings: Settings, found: Sequence[str]) -> None:
    for problem in found:
        settings.say(f"Problem: {problem}")


def _ask_broker(settings: Settings, found: list[str]) -> tuple[str | None, set[str] | None]:
    """Return the broker's URL and the names of the workers that answer there."""
    if settings.broker_url is None:
        return None, None
    from workers.celery.broker import Broker

    broker = Broker(settings.broker_url)
    try:
        return broker.url, broker.workers()
    except BrokerUnreachableError as error:
        found.append(str(error))
        return broker.url, None


def _show(totals: ServiceStatus, url: str, broker: str | None, answering: set[str] | None) -> None:
    answers = "does not answer" if answering is None else f"{count(len(answering), 'worker')} there"
    rate, rest = totals.positions_per_second, totals.eta_seconds
    oldest = totals.oldest_queued_seconds
    by_state = ", ".join(f"{number:,} {state}" for state, number in totals.jobs.items() if number)
    write_facts(
        {
            "database": url,
            **({} if broker is None else {"broker": f"{broker}, {answers}"}),
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
