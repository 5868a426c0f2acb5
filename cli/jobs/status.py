"""``c4 status``: what all jobs together are doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from db.jobs import ServiceStatus


@click.command(cls=Command, examples=["c4 status", "c4 status --json"])
@click.pass_obj
def status(settings: Settings) -> None:
    """Show what is queued and running, how fast, and who works.

    Rate and remaining time are taken from the work completed within the last minute; the time is
    unknown until enough is done. Workers are those of "c4 worker"; "nodes/s" is what one thread of
    them searches, and "seen" when they were last heard of.
    """
    from db import jobs

    with settings.open_database() as database, database.read() as session:
        totals = jobs.totals(session)
    if settings.json:
        from cli.output.formats import write_object

        write_object(_as_object(totals, database.url))
    else:
        _show(totals, database.url)


def _as_object(totals: ServiceStatus, url: str) -> dict[str, object]:
    from dataclasses import asdict

    from cli.jobs.workers_view import as_object as as_worker_object

    fields = asdict(totals)
    fields["jobs"] = {str(state): number for state, number in totals.jobs.items()}
    fields["live_workers"] = [as_worker_object(worker) for worker in totals.live_workers]
    return {"database": url, **fields}


def _show(totals: ServiceStatus, url: str) -> None:
    from cli.jobs.workers_view import write_workers
    from cli.output.formats import write_facts
    from cli.output.render import count, duration

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
            "workers": f"{totals.workers:,} at work, {len(totals.live_workers):,} there",
            "rate": "-" if rate is None else f"{rate:,.0f} positions/s",
            "remaining": duration(rest) if rest else "-" if rest == 0 else "unknown",
            "oldest queued": "-" if oldest is None else duration(oldest),
        }
    )
    write_workers(totals.live_workers)
