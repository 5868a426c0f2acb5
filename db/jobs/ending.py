"""Closing jobs that have nothing left to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from db.clock import now
from db.decoding import is_number
from db.errors import JobNotFoundError
from db.jobs.conditions import LEASED, has_failed_unit, has_open_unit
from db.models import Job, SharedBounds, Unit
from db.records.jobs import JobState

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def finish_if_complete(session: Session, job_id: int) -> JobState:
    """Close a running job that has nothing left to do: ``done``, or ``failed`` if a unit is.

    Call it after ``complete`` or ``fail``, in a transaction of its own. If two workers complete the
    last two units at the same time, neither of these transactions sees the other's unit as done.

    Returns:
        The job's state. Calling it again changes nothing.

    Raises:
        JobNotFoundError: there is no such job.
    """
    state = session.scalar(select(Job.state).where(Job.id == job_id))
    # Checked before the lock is taken: every worker comes here after every unit.
    if state is JobState.RUNNING and has_open_unit(session, job_id):
        return state
    if state is not None and state is not JobState.RUNNING:
        return state
    return close_if_complete(session, job_id, lock_job(session, job_id))


def lock_job(session: Session, job_id: int) -> JobState:
    """The job's state, which nobody else can change until the end of the transaction.

    A transaction that locks a job and units of it locks the job first, so that no two wait for each
    other.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    query = select(Job.state).where(Job.id == job_id).with_for_update()
    state = session.scalar(query) if is_number(job_id) else None
    if state is None:
        raise JobNotFoundError(job_id)
    return state


def lock_leased(session: Session, *which: ColumnElement[bool]) -> None:
    """Lock leased units: nobody else can prolong or end them until the end of the transaction.

    Call it before they are written together. Several units are always locked in the order of their
    numbers, also to prolong leases; an UPDATE would lock them in the order of the table.

    Args:
        session: in a write transaction; if it locks the units' job at all, it has done so.
        which: conditions on the units.
    """
    units = select(Unit.id).where(LEASED, *which).order_by(Unit.id)
    session.connection().execute(units.with_for_update()).all()


def close_if_complete(session: Session, job_id: int, state: JobState) -> JobState:
    """Close a locked job if it runs and has nothing left to do; returns its state."""
    if state is not JobState.RUNNING or has_open_unit(session, job_id):
        return state
    state = JobState.FAILED if has_failed_unit(session, job_id) else JobState.DONE
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(state=state, finished_at=now(session))
    )
    _drop_shared_bounds(session, but_of=job_id)
    return state


def _drop_shared_bounds(session: Session, *, but_of: int) -> None:
    """Delete what the processes of jobs that are done have shared.

    Somebody may still want to hear it of the job that has ended just now: it waits for the next.
    """
    done = select(Job.id).where(Job.state == JobState.DONE, Job.id != but_of)
    session.connection().execute(delete(SharedBounds).where(SharedBounds.job_id.in_(done)))
