"""``c4 jobs``: list, show and control jobs."""

from __future__ import annotations

import json
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from cli.output.formats import check_writable, format_options, output_option, result_options
from cli.shell import parameters
from cli.shell.commands import Command, LazyGroup, refuse
from cli.shell.process import Exit, echo

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from c4core.players.player import Consent
    from cli.shell.settings import Settings
    from cli.work.view import TreeWatch
    from db.database import Database, Session
    from db.records.jobs import JobInfo, JobState

STATES = ("planning", "running", "done", "failed", "cancelled")
"""The states in db/records/jobs.py, repeated here so that help texts do not import it."""

job_argument = click.argument("job", type=parameters.IntRange(1), metavar="JOB")


@click.group(
    cls=LazyGroup,
    lazy={
        "list": "cli.commands.jobs:list_",
        "show": "cli.commands.jobs:show",
        "watch": "cli.commands.jobs:watch",
        "results": "cli.commands.jobs:results",
        "cancel": "cli.commands.jobs:cancel",
        "resume": "cli.commands.jobs:resume",
        "retry": "cli.commands.jobs:retry",
    },
    examples=["c4 jobs list", "c4 jobs show 1", "c4 jobs resume 1"],
)
def jobs() -> None:
    """List, watch, stop and continue jobs, and write their results.

    A job is long work: the positions of "c4 analyze", a book, a data set, a match or a tournament,
    the position of "c4 deep", a proof. It is stored in the database, divided into units of about
    one second of work. Finished units are kept, even if the process is killed.
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
    help="List at most N jobs.",
)
@format_options
@click.pass_obj
def list_(
    settings: Settings, *, state: tuple[str, ...], limit: int, format_name: str | None
) -> None:
    """List jobs, the newest first.

    "silent" is the time since a process last worked on an unfinished job. Use "c4 jobs resume" to
    continue a job on which no process works any more.
    """
    from cli.output.formats import chosen_format, write_rows
    from cli.work.view import COLUMNS, job_row
    from db import jobs as store
    from db.records.jobs import JobState

    states = [JobState(name) for name in state] or None
    with settings.open_database() as database, database.read() as session:
        found = store.list_jobs(session, states=states, limit=limit)
    wanted = [job_row(one) for one in found]
    chosen = chosen_format(settings, format_name)
    if not write_rows(wanted, chosen, COLUMNS) and chosen == "table":
        settings.say("No jobs.")


@click.command(cls=Command, examples=["c4 jobs show 1", "c4 jobs show 1 --json"])
@job_argument
@click.pass_obj
def show(settings: Settings, job: int) -> None:
    """Show everything about a job.

    For a job of "c4 deep" this includes the proven bounds and the pieces being searched.
    """
    from cli.output.formats import write_object
    from cli.output.tables import write_facts
    from cli.work.view import job_facts, tree_facts
    from workers.core.follow import job_object, read_job
    from workers.deep.task import KIND as DEEP

    fields: dict[str, object] = {}
    facts: dict[str, str] = {}
    with settings.open_database() as database:
        found = read_job(database, job)
        if found.kind == DEEP:
            from workers.deep.answer import Observer, tree_object

            with database.read() as session:
                tree = Observer(found).look(session)
            fields, facts = {"tree": tree_object(tree)}, tree_facts(tree)
    if settings.json:
        write_object(job_object(found) | fields)
    else:
        write_facts(job_facts(found) | facts)


@click.command(cls=Command, examples=["c4 jobs cancel 1"])
@click.argument("job", type=parameters.IntRange(1), metavar="JOB...", nargs=-1, required=True)
@click.pass_obj
def cancel(settings: Settings, job: tuple[int, ...]) -> None:
    """Stop jobs. Results are kept; use "c4 jobs resume" to continue with the rest."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Options for continuing an existing job."""

    job: int
    detach: bool
    output: str | None
    format_name: str | None
    programs: Consent
    threads: int
    table_mb: int


again_options = parameters.option_group(
    job_argument,
    parameters.detach_option("Leave the work to other processes that run the job."),
    output_option,
    result_options,
    parameters.programs_option("that the job names."),
    parameters.priority_option,
    parameters.threads_option,
    parameters.table_option,
)
"""The argument and the options of :class:`Again`."""


@click.command(
    cls=Command,
    broker=True,
    json=False,
    examples=["c4 jobs resume 1", "c4 jobs resume 1 --output scores.jsonl"],
)
@again_options
@click.pass_context
def resume(context: click.Context, /, **given: Any) -> None:
    """Continue a job that was interrupted, cancelled or detached.

    Finished units are not repeated. Use --output to write the results of the complete job, or "c4
    jobs results" later.

    Players that are programs are started only with --allow-programs, because anybody may have
    created the job. With --broker, the workers need this option instead.
    """
    from db import jobs as store
    from db.records.jobs import JobState
    from workers.core.submit import refuse_abandoned

    again = Again(**given)

    def go_on(database: Database) -> None:
        refuse_abandoned(database, again.job)
        database.run(lambda session: store.resume_job(session, again.job))
        context.obj.say_if_verbose(f"job {again.job} can go on")

    _work_again(context, again, go_on, open_states=(JobState.RUNNING, JobState.CANCELLED))


@click.command(cls=Command, broker=True, json=False, examples=["c4 jobs retry 1"])
@again_options
@click.pass_context
def retry(context: click.Context, /, **given: Any) -> None:
    """Repeat the failed units of a job."""
    from cli.output.render import count
    from db import jobs as store
    from db.records.jobs import JobState

    again = Again(**given)

    def go_on(database: Database) -> None:
        units = database.run(lambda session: store.retry_job(session, again.job))
        context.obj.say(f"job {again.job}: {count(units, 'failed unit')} to try again")

    _work_again(context, again, go_on, open_states=(JobState.RUNNING, JobState.FAILED))


@click.command(
    cls=Command,
    json=False,
    examples=["c4 jobs results 1 | head -3", "c4 jobs results 1 --output scores.csv"],
)
@job_argument
@output_option
@result_options
@click.pass_context
def results(
    context: click.Context, *, job: int, output: str | None, format_name: str | None
) -> None:
    """Write the results of a job, in the order of its input.

    They are JSON Lines or a JSON array. Results of "c4 analyze" can also be CSV or Parquet.

    The answer to a line that is not solved yet is an object with "error"; the exit code is then 1.

    A match has one object per unit, with the first of its games, the one after the last, and their
    results; use "c4 games export" to write the games. A job of "c4 deep" has one object per
    searched piece; "c4 jobs show" shows what follows from them.
    """
    from cli.work.job import open_results, result_format, write_results
    from workers.core.follow import read_job

    settings: Settings = context.obj
    with settings.open_database() as database:
        found = read_job(database, job)
        chosen = result_format(settings, output, format_name, found.kind)
        with open_results(output, chosen) as target:
            written = write_results(database, found, target)
    if written.errors:
        from cli.output.render import count

        settings.say(f"{count(written.errors, 'line')} without an answer")
        context.exit(Exit.PROBLEMS)


def _work_again(
    context: click.Context,
    again: Again,
    go_on: Callable[[Database], None],
    *,
    open_states: Collection[JobState],
) -> None:
    """Queue a job's open units again, and work on them or leave them to other processes.

    ``go_on`` queues the units and reports that. ``open_states`` are the states in which a job has
    open units.
    """
    from cli.work.job import Backend, JobContext, open_results, result_format
    from db.records.jobs import JobState
    from workers.core.follow import read_job, refuse_foreign

    settings: Settings = context.obj
    job, output = again.job, again.output
    refuse(
        context,
        (again.detach and output is not None, "a detached job writes nothing: use c4 jobs results"),
        (again.format_name is not None and output is None, "a format needs --output"),
    )
    check_writable(output)
    backend = Backend.found(
        settings, threads=again.threads, table_mb=again.table_mb, programs=again.programs
    )
    with settings.open_database() as database:
        found = read_job(database, job)
        refuse_foreign(found, in_states=open_states)  # this version cannot complete such a job
        chosen = result_format(settings, output, again.format_name, found.kind)
        if found.state in open_states and not again.detach:
            backend.check_consent(database, found)
        go_on(database)
        work = JobContext(settings, database, backend)
        if again.detach:
            work.leave(job)
            if read_job(database, job).state is JobState.RUNNING:
                settings.say(f"job {job} is left to {backend.other_processes()}")
            return
        with open_results(output, chosen) if output else nullcontext() as target:
            is_well = work.run(job, target)
        if output is None:
            is_well = work.say_unanswered(job) and is_well
    if not is_well:
        context.exit(Exit.PROBLEMS)


GONE_SECONDS = 25.0
"""Watching ends when a job has been silent for this long and has no workers. Restarted workers
return within seconds."""


@click.command(cls=Command, examples=["c4 jobs watch", "c4 jobs watch 1 --interval 0.5 --json"])
@click.argument("job", type=parameters.IntRange(1), metavar="[JOB]", required=False)
@click.option(
    "--interval",
    type=parameters.FiniteFloat(0.1),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between updates.",
)
@click.pass_context
def watch(context: click.Context, *, job: int | None, interval: float) -> None:
    """Watch a job, by default the newest, until it ends.

    On a terminal a bar is drawn; otherwise, and with --json, every change is one line. For a job of
    "c4 deep" the tree is shown: the bounds, the current question, and the number of pieces proven,
    split, cut off, open and being searched. The exit code is 0 if the job is done. It is 1 if the
    job failed or was cancelled, or if its workers are gone and no worker starts within 25 seconds.
    """
    from cli.work.view import TreeWatch, drawn_progress, silence_sentence
    from db.records.jobs import JobState
    from workers.core.follow import UNDER_WAY, read_job
    from workers.core.kinds import has_workers
    from workers.deep.task import KIND as DEEP

    settings: Settings = context.obj
    with settings.open_database() as database:
        number = job or _newest(database)
        now = read_job(database, number)
        tree = TreeWatch(database, now) if now.kind == DEEP else None
        shown = sys.stderr.isatty() and sys.stdout.isatty() and not settings.json
        with drawn_progress(database, now, shown=shown) as draw:
            last = None
            is_silent = False
            while True:
                if draw is not None:
                    draw(now)
                elif _lasting(now) != last:
                    _write(settings, now, tree)
                last = _lasting(now)
                if now.state not in UNDER_WAY:
                    break
                is_served = has_workers(database, now.priority)
                sentence = silence_sentence(
                    number, now.state, now.silent_seconds, has_workers=is_served
                )
                if sentence is not None and not is_silent:
                    settings.say(sentence)
                is_silent = sentence is not None
                is_gone = now.silent_seconds is not None and now.silent_seconds > GONE_SECONDS
                if is_silent and is_gone and not is_served:
                    break
                time.sleep(interval)
                now = read_job(database, number)
        if draw is not None:
            _write(settings, now, tree)
    if now.state is not JobState.DONE:
        context.exit(Exit.PROBLEMS)


def _lasting(job: JobInfo) -> JobInfo:
    """The job without the fields that change even if no unit is completed."""
    return replace(job, positions_per_second=None, eta_seconds=None, silent_seconds=None)


def _newest(database: Database) -> int:
    from db import jobs

    with database.read() as session:
        newest = jobs.list_jobs(session, limit=1)
    if not newest:
        raise click.UsageError("there is no job to watch")
    return newest[0].id


def _write(settings: Settings, job: JobInfo, tree: TreeWatch | None) -> None:
    """Write one line of progress and flush it."""
    from cli.output.progress import rate_text, remaining_text
    from cli.output.render import count
    from cli.work.view import content, is_silent, state_text, tree_line
    from db.records.jobs import UnitState
    from workers.core.follow import UNDER_WAY, progress_object
    from workers.deep.answer import tree_object

    state = state_text(job.state, job.silent_seconds)
    silent = is_silent(job.state, job.silent_seconds)
    if settings.json:
        fields = progress_object(job)
        if tree is not None:
            fields["tree"] = tree_object(tree.look())
        echo(json.dumps(fields))
        return
    if tree is not None:
        text = tree_line(tree.look(), None if silent else tree.rate(job))
        echo(f"job {job.id} {state}: {text}")
        return
    done, positions = job.positions_ended, sum(job.positions.values())
    parts = [f"job {job.id} {state}: {done:,} of {count(positions, content(job.kind))}"]
    if job.units[UnitState.FAILED]:
        parts.append(f"{count(job.units[UnitState.FAILED], 'unit')} failed")
    if not silent and job.positions_per_second:
        parts.append(rate_text(job.positions_per_second))
    if not silent and done < positions and job.state in UNDER_WAY:
        parts.append(remaining_text(job.eta_seconds))
    echo(", ".join(parts))
