"""``c4 jobs``: list, show and control jobs."""

from __future__ import annotations

import json
import re
import sys
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from cli.output.formats import (
    check_writable,
    chosen_format,
    list_formats,
    output_file,
    result_formats,
    write_object,
    write_rows,
)
from cli.output.tables import write_facts
from cli.shell import parameters
from cli.shell.commands import Command, LazyGroup, refuse
from cli.shell.parameters import Engine, argument, choice, group, number, takes
from cli.shell.process import Exit, echo
from cli.work.job import Backend, JobContext, open_results, result_format, write_results
from cli.work.view import (
    COLUMNS,
    JobLine,
    drawn_progress,
    job_facts,
    job_row,
    silence_sentence,
    tree_facts,
)
from db.errors import UnreachableError
from db.jobs import control, watching
from db.records.jobs import JobState
from workers.core.follow import (
    UNDER_WAY,
    job_object,
    progress_object,
    read_job,
    refuse_foreign,
)
from workers.core.kinds import has_workers
from workers.deep.answer import tree_object
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.players.player import Consent
    from cli.shell.settings import Settings
    from db.database import Database, Session
    from db.records.jobs import JobInfo

NUMBER = parameters.IntRange(1)


@click.group(cls=LazyGroup, examples=["c4 jobs list", "c4 jobs show 1", "c4 jobs resume 1"])
def jobs() -> None:
    """List, watch, stop and continue jobs, and write their results.

    A job is long work: the positions of "c4 analyze", a book, a data set, a match or a tournament,
    the position of "c4 deep", a proof. It is stored in the database, divided into units of about
    one second of work. Finished units are kept, even if the process is killed.
    """


@dataclass(frozen=True, kw_only=True)
class ListGiven:
    """Parameters of ``c4 jobs list``."""

    state: tuple[str, ...] = choice(
        [str(state) for state in JobState],
        "Only jobs in this state; can be given again.",
        multiple=True,
    )
    limit: int = number(parameters.WholeNumber(1), "List at most N jobs.", default=20)
    format_name: str | None = list_formats()


@jobs.command(
    "list", cls=Command, json=False, examples=["c4 jobs list", "c4 jobs list --state failed --json"]
)
@takes(ListGiven)
@click.pass_obj
def list_(settings: Settings, given: ListGiven) -> None:
    """List jobs, the newest first.

    "silent" is the time since a process last worked on an unfinished job. Use "c4 jobs resume" to
    continue a running job on which no process works any more. A job is in state "planning" while
    its command reads the input. If that command is killed, give it again: the unfinished plan
    cannot be resumed, so remove it with "c4 jobs delete".
    """
    states = [JobState(name) for name in given.state] or None
    with settings.open_database() as database, database.read() as session:
        found = watching.list_jobs(session, states=states, limit=given.limit)
    wanted = [job_row(one) for one in found]
    chosen = chosen_format(settings, given.format_name)
    if not write_rows(wanted, chosen, COLUMNS) and chosen == "table":
        settings.say("No jobs.")


@jobs.command(cls=Command, examples=["c4 jobs show 1", "c4 jobs show 1 --json"])
@click.argument("job", type=NUMBER, metavar="JOB")
@click.pass_obj
def show(settings: Settings, job: int) -> None:
    """Show everything about a job.

    For a job of "c4 deep" this includes the proven bounds of the score and its columns.
    """
    fields: dict[str, object] = {}
    facts: dict[str, str] = {}
    with settings.open_database() as database:
        found = read_job(database, job)
        tree = JobLine(database, found).tree()
    if tree is not None:
        fields, facts = {"tree": tree_object(tree)}, tree_facts(tree)
    if settings.json:
        write_object(job_object(found) | fields)
    else:
        write_facts(job_facts(found) | facts)


GONE_SECONDS = 25.0
"""Watching ends when a job has been silent for this long and has no workers. Restarted workers
return within seconds."""


@jobs.command(cls=Command, examples=["c4 jobs watch", "c4 jobs watch 1 --interval 0.5 --json"])
@click.argument("job", type=NUMBER, metavar="[JOB]", required=False)
@click.option(
    "--interval",
    type=parameters.FiniteFloat(0.1),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between updates.",
)
@click.pass_obj
def watch(settings: Settings, *, job: int | None, interval: float) -> None:
    """Watch a job, by default the newest, until it ends.

    On a terminal a bar is drawn; otherwise, and with --json, every change is one line. For a job of
    "c4 deep" the bounds and the current question are shown. The exit code is 0 if the job is done.
    It is 1 if the job failed or was cancelled, or if its workers are gone and no worker starts
    within 25 seconds.
    """
    with settings.open_database() as database:
        number = job or _newest(database)
        now = read_job(database, number)
        line = JobLine(database, now)
        shown = sys.stderr.isatty() and sys.stdout.isatty() and not settings.json
        with _saying_how_to_go_on(settings, number), drawn_progress(line, shown=shown) as draw:
            last = None
            is_silent = False
            while True:
                if draw is not None:
                    draw(now)
                elif _lasting(now) != last:
                    _write(settings, now, line)
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
                if is_silent and is_gone and not (is_served and now.state is JobState.RUNNING):
                    break
                time.sleep(interval)
                now = read_job(database, number)
        if draw is not None:
            _write(settings, now, line)
    if now.state is not JobState.DONE:
        raise click.exceptions.Exit(Exit.PROBLEMS)


@contextmanager
def _saying_how_to_go_on(settings: Settings, number: int) -> Iterator[None]:
    try:
        yield
    except UnreachableError:
        settings.say(f"Watch job {number} again with: c4 jobs watch {number}")
        raise


def _lasting(job: JobInfo) -> JobInfo:
    """The job without the fields that change even if no unit is completed."""
    return replace(job, positions_per_second=None, eta_seconds=None, silent_seconds=None)


def _newest(database: Database) -> int:
    with database.read() as session:
        newest = watching.list_jobs(session, limit=1)
    if not newest:
        raise click.UsageError("there is no job to watch")
    return newest[0].id


def _write(settings: Settings, job: JobInfo, line: JobLine) -> None:
    """Write one line of progress."""
    if not settings.json:
        echo(line.text(job))
        return
    fields = progress_object(job)
    tree = line.tree()
    echo(json.dumps(fields if tree is None else fields | {"tree": tree_object(tree)}))


@dataclass(frozen=True, kw_only=True)
class ResultsGiven:
    """Parameters of ``c4 jobs results``."""

    job: int = argument("JOB", type=NUMBER)
    output: str | None = output_file()
    format_name: str | None = result_formats()


@jobs.command(
    cls=Command,
    json=False,
    examples=["c4 jobs results 1 | head -3", "c4 jobs results 1 --output scores.csv"],
)
@takes(ResultsGiven)
@click.pass_obj
def results(settings: Settings, given: ResultsGiven) -> None:
    """Write the results of a job, in the order of its input.

    They are JSON Lines or a JSON array. Results of "c4 analyze" can also be CSV or Parquet.

    The answer to a line that is not solved yet is an object with "error"; the exit code is then 1.

    A match has one object per unit, with the first of its games, the one after the last, and their
    results; use "c4 games export" to write the games. A job of "c4 deep" has one object per shift
    of a thread, with the bounds at its end.
    """
    with settings.open_database() as database:
        found = read_job(database, given.job)
        chosen = result_format(settings, given.output, given.format_name, found.kind)
        with open_results(given.output, chosen) as target:
            written = write_results(database, found, target)
    if written.errors:
        settings.say(f"{count(written.errors, 'line')} without an answer")
        raise click.exceptions.Exit(Exit.PROBLEMS)


@jobs.command(cls=Command, examples=["c4 jobs cancel 1"])
@click.argument("job", type=NUMBER, metavar="JOB...", nargs=-1, required=True)
@click.pass_obj
def cancel(settings: Settings, job: tuple[int, ...]) -> None:
    """Stop jobs. Results are kept; use "c4 jobs resume" to continue with the rest."""
    numbers = list(dict.fromkeys(job))

    def cancel_them(session: Session) -> None:
        for number in sorted(numbers):
            control.cancel_job(session, number)

    with settings.open_database() as database:
        database.run(cancel_them)  # all of them, or none
        for number in numbers:
            settings.say(f"job {number} cancelled")
    if settings.json:
        write_object({"jobs": numbers, "state": "cancelled"})


OPEN = (JobState.RUNNING, JobState.CANCELLED, JobState.FAILED)
"""The states of jobs that have, or may get, open units."""


@dataclass(frozen=True, kw_only=True)
class Again:
    """Parameters of ``c4 jobs resume``."""

    job: int = argument("JOB", type=NUMBER)
    detach: bool = parameters.detach("Leave the work to other processes that run the job.")
    output: str | None = output_file()
    format_name: str | None = result_formats()
    programs: Consent = parameters.programs("that the job names.")
    priority: int | None = parameters.priority()
    engine: Engine = group(Engine)


@jobs.command(
    cls=Command,
    broker=True,
    json=False,
    examples=["c4 jobs resume 1", "c4 jobs resume 1 --output scores.jsonl"],
)
@takes(Again)
@click.pass_obj
def resume(settings: Settings, again: Again) -> None:
    """Continue a job that was interrupted or cancelled, or that failed.

    Finished units are not repeated; failed units get all their attempts again. Use --output to
    write the results of the complete job, or "c4 jobs results" later.

    Players that are programs are started only with --allow-programs, because anybody may have
    created the job. With --broker, the workers need this option instead.
    """
    job, output = again.job, again.output
    refuse(
        (again.detach and output is not None, "a detached job writes nothing: use c4 jobs results"),
        (again.format_name is not None and output is None, "a format needs --output"),
    )
    check_writable(output)
    backend = Backend.found(
        settings, again.engine, priority=again.priority, programs=again.programs
    )
    with settings.open_database() as database:
        found = read_job(database, job)
        refuse_foreign(found, in_states=OPEN)  # this version cannot complete such a job
        chosen = result_format(settings, output, again.format_name, found.kind)
        if found.state in OPEN and not again.detach:
            backend.check_consent(database, found)
        database.run(partial(control.resume_job, job_id=job))
        settings.say_if_verbose(f"job {job} is queued again")
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
        raise click.exceptions.Exit(Exit.PROBLEMS)


@jobs.command(cls=Command, examples=["c4 jobs delete 1"])
@click.argument("job", type=NUMBER, metavar="JOB...", nargs=-1, required=True)
@click.pass_obj
def delete(settings: Settings, job: tuple[int, ...]) -> None:
    """Delete jobs that have ended, with their results.

    Stored positions and games are kept.
    """
    wanted = sorted(set(job))

    def delete_them(session: Session) -> None:
        for one in wanted:
            control.delete_job(session, one)

    with settings.open_database() as database:
        database.run(delete_them)  # all of them, or none
    for one in wanted:
        settings.say(f"job {one} deleted")
    if settings.json:
        write_object({"jobs": wanted, "state": "deleted"})


UNITS_OF_TIME = {"h": 3_600, "d": 86_400, "w": 7 * 86_400}
"""Seconds by the letter of ``--older-than``."""


def _read_age(_context: click.Context, _parameter: click.Parameter, text: str) -> int:
    """Read an age; return seconds."""
    found = re.fullmatch("([0-9]{1,5})([hdw])", text)
    if found is None:
        raise click.BadParameter("write a number and h, d or w, as in 12h, 90d or 8w")
    return int(found[1]) * UNITS_OF_TIME[found[2]]


@jobs.command(cls=Command, examples=["c4 jobs prune --older-than 90d"])
@click.option(
    "--older-than",
    "age",
    required=True,
    callback=_read_age,
    metavar="AGE",
    help="Time since the end of a job, as in 12h, 90d or 8w.",
)
@click.pass_obj
def prune(settings: Settings, age: int) -> None:
    """Delete all jobs that ended some time ago, with their results.

    Stored positions and games are kept. Jobs of "c4 solve" and of other interactive requests are
    deleted a day after their end, without this command.
    """
    with settings.open_database() as database:
        deleted = 0
        while jobs := database.run(partial(control.prune_jobs, older_than=age)):
            deleted += jobs
    settings.say(f"{count(deleted, 'job')} deleted")
    if settings.json:
        write_object({"deleted": deleted})
