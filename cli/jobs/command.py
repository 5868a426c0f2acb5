"""``c4 jobs``: what jobs there are, and what to do with them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from cli.output import outfile
from cli.output.formats import format_options
from cli.shell import exits, parameters
from cli.shell.commands import Command, LazyGroup, refuse

if TYPE_CHECKING:
    from cli.jobs.hands import Hands
    from cli.shell.settings import Settings
    from db.database import Database
    from db.session import Session

STATES = ("planning", "running", "done", "failed", "cancelled")

job_argument = click.argument("job", type=click.IntRange(1), metavar="JOB")
detach_option = click.option(
    "--detach", is_flag=True, help="Leave the work to other processes that run the job."
)


@click.group(
    cls=LazyGroup,
    lazy={
        "list": "cli.jobs.command:list_",
        "show": "cli.jobs.command:show",
        "watch": "cli.jobs.watch:watch",
        "results": "cli.jobs.command:results",
        "cancel": "cli.jobs.command:cancel",
        "resume": "cli.jobs.command:resume",
        "retry": "cli.jobs.command:retry",
    },
    examples=["c4 jobs list", "c4 jobs show 1", "c4 jobs resume 1"],
)
def jobs() -> None:
    """List, watch, stop and continue jobs, and write their results.

    A job is work that takes long: the positions of "c4 analyze", a book, a data set, a match or a
    tournament, the one position of "c4 deep". It lives in the database, cut into units of about a
    second's work, and keeps what is done whatever happens to the process that works on it.
    """


@click.command(
    "list", cls=Command, json=False, examples=["c4 jobs list", "c4 jobs list --state failed --json"]
)
@click.option(
    "--state",
    type=click.Choice(STATES),
    multiple=True,
    help="Only jobs in this state; can be given again.",
)
@click.option(
    "--limit",
    type=parameters.WholeNumber(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Only the newest N.",
)
@format_options
@click.pass_obj
def list_(
    settings: Settings, *, state: tuple[str, ...], limit: int, format_name: str | None
) -> None:
    """List jobs, the newest first."""
    from cli.jobs.view import COLUMNS, as_row
    from cli.output.formats import chosen_format, write_rows
    from db import jobs as store
    from db.jobs import JobState

    with settings.open_database() as database, database.read() as session:
        states = [JobState(name) for name in state] or None
        found = store.list_jobs(session, limit=limit, states=states)
    chosen = chosen_format(settings, format_name)
    if not write_rows(map(as_row, found), chosen, COLUMNS) and chosen == "table":
        settings.say("No jobs.")


@click.command(cls=Command, examples=["c4 jobs show 1", "c4 jobs show 1 --json"])
@job_argument
@click.pass_obj
def show(settings: Settings, job: int) -> None:
    """Show everything about a job.

    Of one of "c4 deep" that is also what is proven, and what its workers are at.
    """
    from cli.jobs.view import as_facts, as_object
    from cli.output.formats import write_facts, write_object
    from workers.deep.task import KIND as DEEP
    from workers.following import read_job

    fields: dict[str, object] = {}
    facts: dict[str, str] = {}
    with settings.open_database() as database:
        found = read_job(database, job)
        if found.kind == DEEP:
            from cli.deep import view as tree_view
            from workers.deep.standing import Observer

            with database.read() as session:
                standing = Observer(found).look(session)
            fields, facts = {"tree": tree_view.as_object(standing)}, tree_view.as_facts(standing)
    if settings.json:
        write_object(as_object(found) | fields)
    else:
        write_facts(as_facts(found) | facts)


@click.command(cls=Command, examples=["c4 jobs cancel 1"])
@click.argument("job", type=click.IntRange(1), metavar="JOB...", nargs=-1, required=True)
@click.pass_obj
def cancel(settings: Settings, job: tuple[int, ...]) -> None:
    """Stop jobs. What is done is kept; "c4 jobs resume" goes on with the rest."""
    from db import jobs as store

    numbers = list(dict.fromkeys(job))

    def cancel_them(session: Session) -> None:
        for number in sorted(numbers):
            store.cancel_job(session, number)

    with settings.open_database() as database:
        database.run(cancel_them)  # all of them, or none
        for number in numbers:
            settings.say(f"job {number} cancelled")
    if settings.json:
        from cli.output.formats import write_object

        write_object({"jobs": numbers, "state": "cancelled"})


@click.command(
    cls=Command,
    broker=True,
    examples=["c4 jobs resume 1", "c4 jobs resume 1 --output scores.jsonl"],
)
@job_argument
@detach_option
@outfile.output_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def resume(
    context: click.Context,
    *,
    job: int,
    detach: bool,
    output: str | None,
    threads: int | None,
    table_mb: int,
) -> None:
    """Go on with a job that was interrupted, cancelled or detached.

    Only what is not done is done. The results of the whole job are written with --output, or later
    by "c4 jobs results".
    """
    from cli.jobs.hands import Hands
    from db import jobs as store
    from db.jobs import JobState
    from workers.following import read_job, refuse_foreign

    settings: Settings = context.obj
    _check_output(context, output, detach=detach)
    hands = Hands.found(settings, threads=threads, table_mb=table_mb)
    with settings.open_database() as database:
        # Before it runs again: nobody here could end it.
        open_states = (JobState.RUNNING, JobState.CANCELLED)
        refuse_foreign(read_job(database, job), in_states=open_states)
        database.run(lambda session: store.resume_job(session, job))
        settings.tell(f"job {job} can go on")
        _run(context, database, job, hands, detach=detach, output=output)


@click.command(cls=Command, broker=True, examples=["c4 jobs retry 1"])
@job_argument
@detach_option
@outfile.output_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def retry(
    context: click.Context,
    *,
    job: int,
    detach: bool,
    output: str | None,
    threads: int | None,
    table_mb: int,
) -> None:
    """Try the failed units of a job again."""
    from cli.jobs.hands import Hands
    from cli.output.render import count
    from db import jobs as store
    from db.jobs import JobState
    from workers.following import read_job, refuse_foreign

    settings: Settings = context.obj
    _check_output(context, output, detach=detach)
    hands = Hands.found(settings, threads=threads, table_mb=table_mb)
    with settings.open_database() as database:
        open_states = (JobState.RUNNING, JobState.FAILED)
        refuse_foreign(read_job(database, job), in_states=open_states)
        units = database.run(lambda session: store.retry_job(session, job))
        settings.say(f"job {job}: {count(units, 'failed unit')} to try again")
        _run(context, database, job, hands, detach=detach, output=output)


@click.command(
    cls=Command, examples=["c4 jobs results 1 | head -3", "c4 jobs results 1 --output scores.jsonl"]
)
@job_argument
@outfile.output_option
@click.pass_context
def results(context: click.Context, *, job: int, output: str | None) -> None:
    """Write the results of a job: JSON Lines in the order of its input.

    Lines that are not solved yet are answered by an object with "error"; the exit code is 1 then.

    Of a match that is an object for every unit, with the first of its games, the one after the
    last, and what came of them; the games are written by "c4 games export". Of "c4 deep" it is one
    for every piece that was searched; "c4 jobs show" tells what follows from them.
    """
    from cli.jobs.running import write_results

    settings: Settings = context.obj
    with (
        settings.open_database() as database,
        outfile.opened(output or outfile.STANDARD_OUTPUT) as target,
    ):
        tally = write_results(database, job, target or sys.stdout)
    if tally.errors:
        from cli.output.render import count

        settings.say(f"{count(tally.errors, 'line')} without an answer")
        context.exit(exits.PROBLEMS)


def _check_output(context: click.Context, output: str | None, *, detach: bool) -> None:
    """Look at ``--output`` while the job is as it was.

    Raises:
        click.UsageError: nothing is going to be written there.
        click.BadParameter: it cannot be written.
    """
    refuse(
        context,
        (detach and output is not None, "a detached job writes nothing: see c4 jobs results"),
    )
    outfile.check(output)


def _run(
    context: click.Context,
    database: Database,
    job: int,
    hands: Hands,
    *,
    detach: bool,
    output: str | None,
) -> None:
    from cli.jobs.running import run_job

    if detach:
        hands.call(database, job)
        return
    with outfile.opened(output) as target:
        is_well = run_job(context.obj, database, job, hands, target)
    if not is_well:
        context.exit(exits.PROBLEMS)
