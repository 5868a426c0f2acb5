"""Processes that work on a job, to be killed, and how far a job has come meanwhile."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from db import jobs
from db.database import Database
from db.records.jobs import UnitState
from tests.support.running.command_line import ROOT
from tests.support.running.waiting import await_that

Units = dict[UnitState, int]
"""The units of a job by their state."""


@contextmanager
def working(
    url: str, job_id: int, *, output: int = subprocess.DEVNULL, **options: float
) -> Iterator[subprocess.Popen[str]]:
    """A process that works on a job; see ``tests.support.running.job_process`` for the options.

    Args:
        url: of the database.
        job_id: the job.
        output: where the results go; a pipe has to be read.
        **options: such as ``lease=60``: seconds.
    """
    arguments = [f"--{name}={value}" for name, value in options.items()]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.running.job_process", url, str(job_id), *arguments],
        cwd=ROOT,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def units(url: str, job_id: int | None = None) -> Units:
    """The units of a job, or of the newest one; none while there is no job."""
    with Database.open(url) as database:
        return _units(database, job_id)


def await_work(url: str, done: int) -> None:
    """Wait until somebody works on the newest job, and so many of its units are done."""
    _await(url, None, lambda now: now[UnitState.LEASED] > 0 and now[UnitState.DONE] >= done)


def await_units(url: str, job_id: int, state: UnitState, number: int) -> None:
    """Wait until so many units of a job are in a state."""
    _await(url, job_id, lambda now: now[state] >= number)


def _await(url: str, job_id: int | None, holds: Callable[[Units], bool]) -> None:
    # Opened once: to open it takes longer than to ask, and whoever is watched works here too.
    with Database.open(url) as database:
        await_that(lambda: holds(_units(database, job_id)), seconds=120)


def _units(database: Database, job_id: int | None) -> Units:
    with database.read() as session:
        if job_id is not None:
            return dict(jobs.get_job(session, job_id).units)
        newest = jobs.list_jobs(session, limit=1)
    return dict(newest[0].units) if newest else dict.fromkeys(UnitState, 0)
