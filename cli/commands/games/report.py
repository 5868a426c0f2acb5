"""``c4 games report``: the report of matches that were played before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.reports import options
from cli.shell import exits, parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.shell.settings import Settings


@click.command(
    cls=Command,
    broker=True,
    json=False,
    examples=["c4 games report 1", "c4 games report 1 --markdown --judge none"],
)
@click.argument("matches", type=parameters.IntRange(1), nargs=-1, metavar="MATCH...", required=True)
@options.judge_options(default="none")
@parameters.threads_option
@parameters.table_option
@options.writing_options
@click.pass_context
def report(
    context: click.Context,
    /,
    *,
    matches: tuple[int, ...],
    threads: int | None,
    table_mb: int,
    **others: Any,
) -> None:
    """Write the report of matches that were played before.

    One match is reported as by "c4 match", several as by "c4 tournament". The exit code is 1 if
    games are missing.
    """
    from cli.reports import playing
    from cli.reports.writing import write_match, write_tournament
    from cli.work.backend import Backend
    from workers.matches.reports.reading import check_matches, read_report

    settings: Settings = context.obj
    judging = options.judging_of(others)
    writing = options.writing_of(settings, others)
    chosen = list(dict.fromkeys(matches))
    with settings.open_database() as database:
        check_matches(database, matches)
        if judging.is_wanted:
            backend = Backend.found(settings, threads=threads, table_mb=table_mb)
            playing.judge(settings, database, chosen, backend, judging)
        reports = [read_report(database, match, judging) for match in chosen]
    if len(reports) == 1:
        write_match(settings, reports[0], writing)
    else:
        write_tournament(settings, reports, writing)
    if not all(each.match.is_finished for each in reports):
        context.exit(exits.PROBLEMS)
