"""``c4 jobs watch``: look at a job until it ends."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from cli.shell import echo, exits, parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from cli.work.view import TreeWatch
    from db.database import Database
    from db.records.jobs import JobInfo, JobProgress
    from workers.core.follow import Progress

IDLE_SECONDS = 15.0
"""A job is watched no longer when its workers have been gone for this time."""


@click.command(cls=Command, examples=["c4 jobs watch", "c4 jobs watch 1 --interval 0.5 --json"])
@click.argument("job", type=parameters.IntRange(1), metavar="[JOB]", required=False)
@click.option(
    "--interval",
    type=parameters.FiniteFloat(0.1),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between two looks.",
)
@click.pass_context
def watch(context: click.Context, *, job: int | None, interval: float) -> None:
    """Watch a job, by default the newest, until it ends.

    On a terminal a bar is drawn; otherwise, and with --json, a line is written whenever something
    has changed. For a job of "c4 deep" the tree is shown: the bounds, what is asked now, and how
    many pieces are proven, split, cut off, open and at work. The exit code is 0 if the job is done.
    It is 1 if the job failed or was cancelled, or if its workers are gone and no others have begun
    within a quarter of a minute.
    """
    from cli.work.view import IDLE, TreeWatch, drawn_progress
    from db.records.jobs import JobState
    from workers.core.follow import ProgressMeter, read_job
    from workers.deep.task import KIND as DEEP

    settings: Settings = context.obj
    with settings.open_database() as database:
        number = job or _newest(database)
        job_info = read_job(database, number)
        tree = TreeWatch(database, job_info) if job_info.kind == DEEP else None
        now = _look(database, number)
        meter = ProgressMeter(now)
        shown = sys.stderr.isatty() and sys.stdout.isatty() and not settings.json
        with drawn_progress(database, job_info, shown=shown) as draw:
            last = None
            idle_since = None
            while True:
                state = _state(database, now)
                seen = meter.look(now) if state not in IDLE else _without_pace(meter.look(now))
                if draw is not None:
                    draw(seen)
                elif last is None or (_without_rate(now), state) != last:
                    _write(settings, seen, state, job_info.kind, tree)
                if now.state not in (JobState.PLANNING, JobState.RUNNING):
                    break
                if last is None or last[1] != state:
                    _tell_idle(settings, job_info, state)
                # Workers that are restarted are soon back.
                idle_since = (idle_since or time.monotonic()) if state == "interrupted" else None
                if idle_since is not None and time.monotonic() - idle_since > IDLE_SECONDS:
                    break
                last = _without_rate(now), state
                time.sleep(interval)
                now = _look(database, number)
        if draw is not None:
            _write(settings, seen, state, job_info.kind, tree)
    if now.state is not JobState.DONE:
        context.exit(exits.PROBLEMS)


def _without_rate(job: JobProgress) -> JobProgress:
    """Progress without what changes by itself: the rate falls while nobody works."""
    return replace(job, positions_per_second=None, eta_seconds=None)


def _without_pace(progress: Progress) -> Progress:
    """The same without rate and remaining time, for a job that nobody is at work on."""
    return replace(progress, job=_without_rate(progress.job), rate=None, remaining=None)


def _state(database: Database, job: JobProgress) -> str:
    """What a job is called at this moment."""
    from workers.core.follow import state_name

    with database.read() as session:
        return state_name(session, job.job_id, job.state)


def _tell_idle(settings: Settings, job: JobInfo, state: str) -> None:
    """If nobody is at work on a job, say so and what to do."""
    from cli.work.view import idle_sentence

    sentence = idle_sentence(job, state)
    if sentence is not None:
        settings.say(sentence)


def _newest(database: Database) -> int:
    from db import jobs

    with database.read() as session:
        newest = jobs.list_jobs(session, limit=1)
    if not newest:
        raise click.UsageError("there is no job to watch")
    return newest[0].id


def _look(database: Database, job: int) -> JobProgress:
    from db import jobs

    with database.read() as session:
        return jobs.progress(session, job)


def _write(
    settings: Settings, progress: Progress, state: str, kind: str, tree: TreeWatch | None
) -> None:
    """Write one look at a job and let it be seen at once."""
    from cli.output.progress import rate_text, remaining_text
    from cli.output.render import count
    from cli.work import view
    from cli.work.view import IDLE, content
    from workers.deep.progress import tree_object

    job = progress.job
    if settings.json:
        fields = asdict(job) | {"state": state}
        if tree is not None:
            fields["tree"] = tree_object(tree.look())
        echo.line(json.dumps(fields))
        return
    if tree is not None:
        rate = tree.rate(progress)
        text = view.tree_line(tree.look(), None if state in IDLE else rate)
        echo.line(f"job {job.job_id} {state}: {text}")
        return
    done = job.positions_done + job.positions_failed
    parts = [f"job {job.job_id} {state}: {done:,} of {count(job.positions, content(kind))}"]
    if job.units_failed:
        parts.append(f"{count(job.units_failed, 'unit')} failed")
    # The watcher has no rate of its own yet; the job has one of the last minute.
    if rate := progress.rate or job.positions_per_second:
        parts.append(rate_text(rate))
    if done < job.positions and state not in IDLE:
        parts.append(remaining_text(progress.remaining))
    echo.line(", ".join(parts))
