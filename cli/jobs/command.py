"""``c4 jobs``: what jobs there are, and what to do with them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from cli.output import outfile
from cli.output.formats import format_options
from cli.shell import exits, parameters
from cli.shell.commands import Command, LazyGroup, refuse
from cli.work.results import format_option

if TYPE_CHECKING:
    from c4core.players.consent import Consent
    from cli.shell.settings import Settings
    from cli.work.backend import Backend
    from cli.work.results import ResultFormat
    from db.database import Database
    from db.session import Session

STATES = ("planning", "waiting", "running", "interrupted", "done", "failed", "cancelled")
UNDER_WAY = ("planning", "running")
"""States of jobs as they are stored of which it depends on others what they are called."""

MAX_UNDER_WAY = 10_000

job_argument = click.argument("job", type=parameters.IntRange(1), metavar="JOB")
detach_option = click.option(
    "--detach", is_flag=True, help="Leave the work to other processes that run the job."
)

programs_option = parameters.programs_option("that the job names.")


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
    """List jobs, the newest first.

    A job is waiting while nobody has begun with it, and interrupted when nobody is at work on it
    any more; "c4 jobs resume" begins or goes on.
    """
    from cli.output.formats import chosen_format, write_rows
    from cli.work.view import COLUMNS, as_row
    from db import jobs as store
    from db.records.jobs import JobState
    from workers.core.attendance import unattended_jobs

    stored = [JobState(name) for name in state if name in set(JobState)]
    most = limit
    if not set(state) <= set(JobState) - set(UNDER_WAY):
        stored, most = [*stored, *map(JobState, UNDER_WAY)], max(limit, MAX_UNDER_WAY)
    with settings.open_database() as database, database.read() as session:
        found = store.list_jobs(session, limit=most, states=stored or None)
        idle = unattended_jobs(session)
    rows = [as_row(job, str(idle.get(job.id, job.state))) for job in found]
    wanted = [row for row in rows if not state or row["state"] in state][:limit]
    chosen = chosen_format(settings, format_name)
    if not write_rows(wanted, chosen, COLUMNS) and chosen == "table":
        settings.say("No jobs.")


@click.command(cls=Command, examples=["c4 jobs show 1", "c4 jobs show 1 --json"])
@job_argument
@click.pass_obj
def show(settings: Settings, job: int) -> None:
    """Show everything about a job.

    Of one of "c4 deep" that is also what is proven, and what its workers are at. If nobody is at
    work on it, it is called waiting or interrupted.
    """
    from cli.output.formats import write_facts, write_object
    from cli.work.view import as_facts, as_object
    from workers.core.attendance import unattended_jobs
    from workers.core.following import read_job
    from workers.deep.task import KIND as DEEP

    fields: dict[str, object] = {}
    facts: dict[str, str] = {}
    with settings.open_database() as database:
        found = read_job(database, job)
        with database.read() as session:
            state = str(unattended_jobs(session).get(job, found.state))
        if found.kind == DEEP:
            from cli.work import tree_view
            from workers.deep.standing import Observer

            with database.read() as session:
                standing = Observer(found).look(session)
            fields, facts = {"tree": tree_view.as_object(standing)}, tree_view.as_facts(standing)
    if settings.json:
        write_object(as_object(found, state) | fields)
    else:
        write_facts(as_facts(found, state) | facts)


@click.command(cls=Command, examples=["c4 jobs cancel 1"])
@click.argument("job", type=parameters.IntRange(1), metavar="JOB...", nargs=-1, required=True)
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
@format_option
@programs_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def resume(
    context: click.Context,
    *,
    job: int,
    detach: bool,
    output: str | None,
    format_name: str | None,
    programs: Consent,
    threads: int | None,
    table_mb: int,
) -> None:
    """Go on with a job that was interrupted, cancelled or detached.

    Only what is not done is done. The results of the whole job are written with --output, or later
    by "c4 jobs results".

    Players that are programs are started with --allow-programs only: a job says what whoever made
    it wanted. With --broker it is the workers that need it.
    """
    from cli.work.backend import Backend
    from cli.work.results import chosen_format
    from db import jobs as store
    from db.records.jobs import JobState
    from workers.core.following import read_job, refuse_foreign

    settings: Settings = context.obj
    _check_output(context, output, format_name, detach=detach)
    backend = Backend.found(settings, threads=threads, table_mb=table_mb, programs=programs)
    with settings.open_database() as database:
        # Before it runs again: nobody here could end it.
        open_states = (JobState.RUNNING, JobState.CANCELLED)
        found = read_job(database, job)
        refuse_foreign(found, in_states=open_states)
        chosen = chosen_format(output, format_name, found.kind)
        if found.state in open_states and not detach:
            backend.check_consent(database, found)
        database.run(lambda session: store.resume_job(session, job))
        settings.tell(f"job {job} can go on")
        _run(context, database, job, backend, chosen, detach=detach, output=output)


@click.command(cls=Command, broker=True, examples=["c4 jobs retry 1"])
@job_argument
@detach_option
@outfile.output_option
@format_option
@programs_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def retry(
    context: click.Context,
    *,
    job: int,
    detach: bool,
    output: str | None,
    format_name: str | None,
    programs: Consent,
    threads: int | None,
    table_mb: int,
) -> None:
    """Try the failed units of a job again."""
    from cli.output.render import count
    from cli.work.backend import Backend
    from cli.work.results import chosen_format
    from db import jobs as store
    from db.records.jobs import JobState
    from workers.core.following import read_job, refuse_foreign

    settings: Settings = context.obj
    _check_output(context, output, format_name, detach=detach)
    backend = Backend.found(settings, threads=threads, table_mb=table_mb, programs=programs)
    with settings.open_database() as database:
        open_states = (JobState.RUNNING, JobState.FAILED)
        found = read_job(database, job)
        refuse_foreign(found, in_states=open_states)
        chosen = chosen_format(output, format_name, found.kind)
        if found.state in open_states and not detach:
            backend.check_consent(database, found)
        units = database.run(lambda session: store.retry_job(session, job))
        settings.say(f"job {job}: {count(units, 'failed unit')} to try again")
        _run(context, database, job, backend, chosen, detach=detach, output=output)


@click.command(
    cls=Command, examples=["c4 jobs results 1 | head -3", "c4 jobs results 1 --output scores.csv"]
)
@job_argument
@outfile.output_option
@format_option
@click.pass_context
def results(
    context: click.Context, *, job: int, output: str | None, format_name: str | None
) -> None:
    """Write the results of a job, in the order of its input.

    They are JSON Lines; those of "c4 analyze" also CSV or Parquet, by --format or by the ending of
    --output.

    Lines that are not solved yet are answered by an object with "error"; the exit code is 1 then.

    Of a match that is an object for every unit, with the first of its games, the one after the
    last, and what came of them; the games are written by "c4 games export". Of "c4 deep" it is one
    for every piece that was searched; "c4 jobs show" tells what follows from them.
    """
    from cli.work.results import chosen_format, opened
    from cli.work.running import write_results
    from workers.core.following import read_job

    settings: Settings = context.obj
    with settings.open_database() as database:
        found = read_job(database, job)
        chosen = chosen_format(output, format_name, found.kind)
        with opened(output, chosen) as target:
            tally = write_results(database, found, target)
    if tally.errors:
        from cli.output.render import count

        settings.say(f"{count(tally.errors, 'line')} without an answer")
        context.exit(exits.PROBLEMS)


def _check_output(
    context: click.Context, output: str | None, format_name: str | None, *, detach: bool
) -> None:
    """Look at ``--output`` and ``--format`` while the job is as it was.

    Raises:
        click.UsageError: nothing is going to be written there.
        click.BadParameter: it cannot be written.
    """
    refuse(
        context,
        (detach and output is not None, "a detached job writes nothing: see c4 jobs results"),
        (format_name is not None and output is None, "--format belongs to --output"),
    )
    outfile.check(output)


def _run(
    context: click.Context,
    database: Database,
    job: int,
    backend: Backend,
    format_name: ResultFormat,
    *,
    detach: bool,
    output: str | None,
) -> None:
    from cli.work.results import opened
    from cli.work.running import run_job, tell_unanswered
    from db.records.jobs import JobState
    from workers.core.following import read_job

    if detach:
        backend.call(database, job)
        if read_job(database, job).state is JobState.RUNNING:
            context.obj.say(f"job {job} is left to {backend.heirs()}")
        return
    with opened(output, format_name) if output else nullcontext() as target:
        is_well = run_job(context.obj, database, job, backend, target)
    if output is None:
        is_well = tell_unanswered(context.obj, database, job) and is_well
    if not is_well:
        context.exit(exits.PROBLEMS)
