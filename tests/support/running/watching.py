"""Start processes that work on a job and will be killed, and follow the job's progress."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from sqlalchemy import select, update

from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.errors import JobNotFoundError
from db.models import Unit
from db.records.jobs import Claim, UnitState
from tests.support.running.command_line import ROOT
from tests.support.running.waiting import await_that

Units = dict[UnitState, int]
"""The number of a job's units in each state."""


@contextmanager
def working(
    url: str, job_id: int, *, output: int = subprocess.DEVNULL, **options: float
) -> Iterator[subprocess.Popen[str]]:
    """Start a process that works on a job.

    ``output`` receives the results; a pipe has to be read. ``tests.support.running.job_process``
    lists the options, such as ``lease=60`` (seconds).
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


def units(url: str, job_id: int = 1) -> Units:
    """The units of a job; empty if the job does not exist yet."""
    with Database.open(url) as database:
        return _units(database, job_id)


@contextmanager
def held_back(url: str, job_id: int, *, free: int) -> Iterator[int]:
    """Lease all but the first ``free`` units of a job, so that it cannot end; yield how many.

    A test may get no processor for seconds. If the job could end in that time, there would be
    nothing left to interrupt.
    """
    with Database.open(url) as database:
        kept: list[Claim] = []
        claim = partial(
            jobs.claim,
            eligible=jobs.Eligible(ENGINE_VERSION, job_ids=[job_id]),
            owner="test",
            lease_seconds=3600,
        )
        while held := database.run(claim):
            kept.append(held)
        kept.sort(key=lambda each: each.seq)
        _hand_back(database, kept[:free])
        assert len(kept) > free, "too few units of the job are left"
        try:
            yield len(kept) - free
        finally:
            _hand_back(database, kept[free:])


def _hand_back(database: Database, claims: Sequence[Claim]) -> None:
    with database.write() as session:
        assert all(jobs.release(session, claim) for claim in claims)


def await_units(
    url: str, process: subprocess.Popen[str], state: UnitState, number: int, job_id: int = 1
) -> None:
    """Wait until ``number`` units of a job are in a state.

    If the process ends before, the test fails. The job may not exist yet.
    """
    # Opened once, because opening takes longer than a query, and the watched process needs the
    # processor.
    with Database.open(url) as database:
        await_that(lambda: _units(database, job_id)[state] >= number, process)


def kill_at_work(url: str, process: subprocess.Popen[Any], owner: str | None = None) -> None:
    """Kill a process while it holds a unit; it must not run out of units.

    It is stopped first; otherwise it could complete the unit before the signal arrives. A stopped
    process may hold locks in the database, so that others have to wait until it is killed.
    ``owner`` is the name in its claims; None means that of a ``LocalRunner``.
    """
    ends_with = f":{process.pid}" if owner is None else owner
    with Database.open(url) as database:
        while True:
            await_that(lambda: holds_unit(database, ends_with), process)
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if holds_unit(database, ends_with):
                break
            process.send_signal(signal.SIGCONT)
        process.kill()
        assert process.wait() == -signal.SIGKILL


def holds_unit(database: Database, owner: str) -> bool:
    """Whether a process holds a unit that no transaction is changing.

    A server may still carry out the COMMIT that a process sent before it was stopped. Until then
    the transaction locks the unit.
    """
    held = select(Unit.id).where(Unit.state == UnitState.LEASED, Unit.owner.endswith(owner))
    if database.dialect == "sqlite":  # the process itself commits
        with database.read() as session:
            return session.scalar(held.limit(1)) is not None
    with database.write() as session:
        return session.scalar(held.limit(1).with_for_update(skip_locked=True)) is not None


def end_leases(url: str, process: subprocess.Popen[Any]) -> None:
    """Let the leases of a dead process expire, as if time had passed."""
    held = (Unit.state == UnitState.LEASED, Unit.owner.endswith(f":{process.pid}"))
    with Database.open(url) as database, database.write() as session:
        session.execute(update(Unit).where(*held).values(lease_until=0))


def _units(database: Database, job_id: int) -> Units:
    with database.read() as session:
        try:
            return dict(jobs.get_job(session, job_id).units)
        except JobNotFoundError:
            return dict.fromkeys(UnitState, 0)
