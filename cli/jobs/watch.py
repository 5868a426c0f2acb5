"""``c4 jobs watch``: look at a job until it ends."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

import click

from cli.shell import exits, parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.deep.watching import TreeWatch
    from cli.shell.settings import Settings
    from db.database import Database
    from db.jobs import JobProgress
    from workers.progress import Progress


@click.command(cls=Command, examples=["c4 jobs watch", "c4 jobs watch 1 --interval 0.5 --json"])
@click.argument("job", type=click.IntRange(1), metavar="[JOB]", required=False)
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
    has changed. Of a job of "c4 deep" the tree is shown: the bounds, what is asked now, how many
    pieces are proven, split, cut off, open and at work. The exit code is 0 if the job is done, 1
    if it failed or was cancelled.
    """
    from cli.deep.watching import TreeWatch
    from cli.jobs.drawing import drawing
    from db.jobs import JobState
    from workers.deep.task import KIND as DEEP
    from workers.following import read_job
    from workers.progress import ProgressMeter

    settings: Settings = context.obj
    with settings.open_database() as database:
        number = job or _newest(database)
        job_info = read_job(database, number)
        tree = TreeWatch(database, job_info) if job_info.kind == DEEP else None
        now = _look(database, number)
        meter = ProgressMeter(now)
        drawn = sys.stderr.isatty() and sys.stdout.isatty() and not settings.json
        with drawing(database, number, shown=drawn) as draw:
            last = None
            while True:
                seen = meter.look(now)
                if draw is not None:
                    draw(seen)
                elif now != last:
                    _write(settings, seen, job_info.kind, tree)
                if now.state not in (JobState.PLANNING, JobState.RUNNING):
                    break
                last = now
                time.sleep(interval)
                now = _look(database, number)
        if draw is not None:
            _write(settings, seen, job_info.kind, tree)
    if now.state is not JobState.DONE:
        context.exit(exits.PROBLEMS)


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


def _write(settings: Settings, progress: Progress, kind: str, tree: TreeWatch | None) -> None:
    """Write one look at a job and let it be seen at once."""
    from dataclasses import asdict

    from cli.deep import view as tree_view
    from cli.jobs.view import content
    from cli.output.progress import rate_text, remaining_text

    job = progress.job
    if settings.json:
        fields = asdict(job)
        if tree is not None:
            fields["tree"] = tree_view.as_object(tree.look())
        click.echo(json.dumps(fields))
        return
    if tree is not None:
        text = tree_view.line_text(tree.look(), tree.rate(progress))
        click.echo(f"job {job.job_id} {job.state}: {text}")
        return
    done = job.positions_done + job.positions_failed
    parts = [f"job {job.job_id} {job.state}: {done:,}/{job.positions:,} {content(kind)}s"]
    if job.units_failed:
        parts.append(f"{job.units_failed:,} units failed")
    if done < job.positions:
        parts += [rate_text(progress.rate), remaining_text(progress.remaining)]
    click.echo(", ".join(parts))
