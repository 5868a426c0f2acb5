"""Start processes that work on a job and will be killed, and follow the job's progress."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from sqlalchemy import select

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.errors import JobNotFoundError
from db.jobs import queue, watching
from db.models import Unit
from db.records.jobs import Claim, UnitState
from tests.support.running.waiting import await_that

Units = dict[UnitState, int]
"""The number of a job's units in each state."""


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
            queue.claim,
            eligible=queue.Eligible(ENGINE_VERSION, job_ids=[job_id]),
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
        assert all(queue.release(session, claim) for claim in claims)


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


def _units(database: Database, job_id: int) -> Units:
    with database.read() as session:
        try:
            return dict(watching.get_job(session, job_id).units)
        except JobNotFoundError:
            return dict.fromkeys(UnitState, 0)
