"""Planning: create jobs and their units, also while a job runs.

Most jobs are planned completely before they start. Others grow: the results of their units decide
which units come next. The process that completes a unit of such a job plans its next units in the
same transaction::

    lock_job          no other process plans or ends units until the end of the transaction
    complete          the finished unit
    add_units, or cut_units
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, insert, or_, select, update

from db.jobs.state import (
    FAILED,
    FREE,
    QUEUED,
    close_if_complete,
    lock_job,
    update_job,
    wrong_state,
)
from db.models import Job, Unit
from db.records.jobs import JobState, UnitState
from db.sql import now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json, UnitPlan

_BATCH: Final = 1_000
"""Number of units that are held in memory and inserted together."""


def create_job(
    session: Session,
    *,
    kind: str,
    board: BoardSize,
    params: Json,
    label: str | None = None,
    engine_version: int,
    priority: int = 0,
) -> int:
    """Create a job in state ``planning``; return its number.

    Args:
        session: in a write transaction.
        kind: decides how its units' payloads are read.
        board: the board of all its positions.
        params: the parameters that all units share.
        label: a name for users.
        engine_version: only workers with an engine of this version get its units.
        priority: jobs of higher priority are worked on first.
    """
    statement = insert(Job).values(
        kind=kind,
        width=board.width,
        height=board.height,
        state=JobState.PLANNING,
        priority=priority,
        label=label,
        params=params,
        engine_version=engine_version,
        created_at=now(session),
        seen_at=now(session),
    )
    return session.connection().execute(statement.returning(Job.id)).scalar_one()


def add_units(session: Session, job_id: int, plans: Iterable[UnitPlan]) -> int:
    """Append units to a job that is being planned or runs; return their number.

    A later call appends after the existing units, so that a long plan can be made in several short
    transactions. Each of them is a sign of life of the planner.

    Raises:
        JobNotFoundError: the job was deleted.
        JobStateError: the job has ended or was cancelled.
    """
    state = lock_job(session, job_id)
    if state is JobState.PLANNING:
        update_job(session, job_id, seen_at=now(session))
    elif state is not JobState.RUNNING:
        raise wrong_state(job_id, state, "units cannot be added")
    last = session.scalar(select(func.max(Unit.seq)).where(Unit.job_id == job_id))
    first = 0 if last is None else last + 1
    seq = first
    source = iter(plans)
    while batch := list(islice(source, _BATCH)):
        rows = [
            {
                "job_id": job_id,
                "seq": number,
                "state": UnitState.QUEUED,
                "payload": plan.payload,
                "positions": plan.positions,
                "fence": 0,
                "attempts": 0,
                "nodes": 0,
                "seconds": 0.0,
            }
            for number, plan in enumerate(batch, seq)
        ]
        session.connection().execute(insert(Unit), rows)
        seq += len(batch)
    return seq - first


def start_job(session: Session, job_id: int) -> JobState:
    """End the planning: the job runs, or is done at once if it has no unit.

    Raises:
        JobStateError: the job is not being planned.
    """
    state = lock_job(session, job_id)
    if state is not JobState.PLANNING:
        raise wrong_state(job_id, state, "it cannot be started")
    update_job(session, job_id, state=JobState.RUNNING, started_at=now(session), seen_at=None)
    return close_if_complete(session, job_id, JobState.RUNNING)


def newest_job(
    session: Session,
    *,
    kind: str,
    board: BoardSize,
    params: Json,
    engine_version: int,
) -> int | None:
    """Return the newest started job with exactly these arguments of ``create_job``, or None.

    The order within ``params`` matters.
    """
    query = (
        select(Job.id)
        .where(
            Job.kind == kind,
            Job.width == board.width,
            Job.height == board.height,
            Job.params == params,
            Job.engine_version == engine_version,
            Job.started_at.is_not(None),
        )
        .order_by(Job.id.desc())
        .limit(1)
    )
    return session.scalar(query)


class GrowingJob(NamedTuple):
    """The parameters of a job, in any state."""

    job_id: int
    state: JobState
    params: Json


def cut_units(session: Session, job_id: int, result: Json) -> int:
    """End the units of a job that wait or have failed, because they are not needed any more.

    They become done, with this result and without any nodes or time. Return their number.
    """
    done = session.connection().execute(
        update(Unit)
        .where(Unit.job_id == job_id, or_(QUEUED, FAILED))
        .values(state=UnitState.DONE, result=result, error=None, finished_at=now(session), **FREE)
    )
    return done.rowcount


def jobs_of_kind(
    session: Session, *, kind: str, board: BoardSize, engine_version: int
) -> list[GrowingJob]:
    """Return the started jobs of a kind, the newest first."""
    query = (
        select(Job.id, Job.state, Job.params)
        .where(
            Job.kind == kind,
            Job.width == board.width,
            Job.height == board.height,
            Job.engine_version == engine_version,
            Job.started_at.is_not(None),
        )
        .order_by(Job.id.desc())
    )
    return [GrowingJob(*row) for row in session.execute(query)]
