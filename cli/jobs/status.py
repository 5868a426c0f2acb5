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
    """Show what is queued and running, how fast it goes.

    Rate and remaining time are taken from the work completed within the last minute.
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

    fields = asdict(totals)
    fields["jobs"] = {str(state): number for state, number in totals.jobs.items()}
    return {"database": url, **fields}


def _show(totals: ServiceStatus, url: str) -> None:
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
            "workers": f"{totals.workers:,}",
            "rate": "-" if rate is None else f"{rate:,.0f} positions/s",
            "remaining": duration(rest) if rest else "-",
            "oldest queued": "-" if oldest is None else duration(oldest),
        }
    )
