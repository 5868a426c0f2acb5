"""Making jobs and their units."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, insert, select, update

from db.clock import now
from db.errors import JobStateError
from db.jobs.ending import close_if_complete, lock_job
from db.models import Job, Unit
from db.records.jobs import JobState, UnitState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json, UnitPlan

_BATCH: Final = 1_000
"""Units that are held in memory and inserted together."""


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
    """Make a job in state ``planning``.

    Args:
        session: in a write transaction.
        kind: decides how its units' payloads are read.
        board: the board that all its positions are of.
        params: what all units have in common.
        label: a name for people.
        engine_version: only workers with an engine of this version get its units.
        priority: jobs of higher priority are worked on first.

    Returns:
        The job's number.
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
    )
    return session.connection().execute(statement.returning(Job.id)).scalar_one()


def add_units(session: Session, job_id: int, plans: Iterable[UnitPlan]) -> int:
    """Append units to a job that is being planned, in constant memory.

    Called again, it appends behind those that are there, so that a long plan can be made in
    several short transactions.

    Returns:
        How many units were added.

    Raises:
        JobStateError: the job is not being planned (any more): it was started or cancelled.
    """
    state = lock_job(session, job_id)
    if state is not JobState.PLANNING:
        raise JobStateError(
            f"job {job_id} is {state}: units cannot be added", job_id=job_id, state=state
        )
    return append_units(session, job_id, plans)


def append_units(session: Session, job_id: int, plans: Iterable[UnitPlan]) -> int:
    """Append units to a locked job that may get some; returns their number."""
    last = session.scalar(select(func.max(Unit.seq)).where(Unit.job_id == job_id))
    first = 0 if last is None else last + 1
    seq = first
    source = iter(plans)
    while batch := list(islice(source, _BATCH)):
        rows = [
            {
                "job_id": job_id,
                "seq": seq + offset,
                "state": UnitState.QUEUED,
                "payload": plan.payload,
                "positions": plan.positions,
                "expected_seconds": plan.expected_seconds,
                "fence": 0,
                "attempts": 0,
                "nodes": 0,
                "seconds": 0.0,
            }
            for offset, plan in enumerate(batch)
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
        raise JobStateError(
            f"job {job_id} is {state}: it cannot be started", job_id=job_id, state=state
        )
    session.connection().execute(
        update(Job)
        .where(Job.id == job_id)
        .values(state=JobState.RUNNING, started_at=now(session), planner_seen_at=None)
    )
    return close_if_complete(session, job_id, JobState.RUNNING)
