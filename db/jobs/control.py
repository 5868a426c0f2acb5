"""Control jobs: cancel, resume, retry, change the priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import or_, select, update

from db.errors import JobStateError
from db.jobs.sharing import is_abandoned
from db.jobs.state import (
    ANEW,
    DONE,
    FAILED,
    FREE,
    LEASED,
    QUEUED,
    close_if_complete,
    lease_ran_out,
    lock_job,
    lock_leased,
)
from db.models import Job, Unit
from db.records.jobs import JobState, UnitState
from db.sql import now

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def cancel_job(session: Session, job_id: int) -> JobState:
    """Cancel a job. Claims on its units are void from now on; stored evaluations stay.

    Cancelling a cancelled job changes nothing.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job has ended.
    """
    state = lock_job(session, job_id)
    if state is JobState.CANCELLED:
        return state
    if state not in {JobState.PLANNING, JobState.RUNNING}:
        raise JobStateError(
            f"job {job_id} is {state}: there is nothing to cancel", job_id=job_id, state=state
        )
    lock_leased(session, Unit.job_id == job_id)
    session.connection().execute(
        update(Unit)
        .where(Unit.job_id == job_id, or_(QUEUED, LEASED))
        .values(state=UnitState.CANCELLED, **FREE)
    )
    session.connection().execute(
        update(Job)
        .where(Job.id == job_id)
        .values(
            state=JobState.CANCELLED,
            finished_at=now(session),
            planner_seen_at=None,
            runner_seen_at=None,
        )
    )
    return JobState.CANCELLED


def cancel_abandoned(session: Session, job_id: int) -> bool:
    """Cancel a job if its planning was abandoned; return whether it was."""
    lock_job(session, job_id)
    abandoned = session.scalar(select(Job.id).where(Job.id == job_id, is_abandoned(session)))
    if abandoned is None:
        return False
    cancel_job(session, job_id)
    return True


def resume_job(session: Session, job_id: int) -> JobState:
    """Resume a job: units that were cancelled or whose lease has run out are queued again.

    They get all their attempts again and count as never announced, because the user who resumes the
    job has seen what stopped them. Live leases are kept, since a worker may hold them. A job that
    has ended keeps its state; failed units are left to :func:`retry_job`.

    Returns:
        ``running``, or the state in which the job has ended.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: its planning was never finished, so units are missing.
    """
    state = lock_job(session, job_id)
    planned = session.scalar(select(Job.started_at).where(Job.id == job_id)) is not None
    if not planned:
        raise JobStateError(
            f"job {job_id} is {state}: it was interrupted before all its units were planned; "
            "start it anew from its input",
            job_id=job_id,
            state=state,
        )
    if state in {JobState.DONE, JobState.FAILED}:
        return state
    lock_leased(session, Unit.job_id == job_id, lease_ran_out(session))
    stopped = or_(Unit.state == UnitState.CANCELLED, lease_ran_out(session))
    session.connection().execute(update(Unit).where(Unit.job_id == job_id, stopped).values(**ANEW))
    return _run_again(session, job_id)


def retry_job(session: Session, job_id: int) -> int:
    """Queue the failed units of a job again, with all their attempts, and return their number.

    The job runs again; if no unit has failed, nothing changes.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job is cancelled; resume it first.
    """
    state = lock_job(session, job_id)
    if state is JobState.CANCELLED:
        raise JobStateError(
            f"job {job_id} is {state}: resume it before you retry its failed units",
            job_id=job_id,
            state=state,
        )
    queued = (
        session.connection()
        .execute(update(Unit).where(Unit.job_id == job_id, FAILED).values(error=None, **ANEW))
        .rowcount
    )
    if queued:
        _run_again(session, job_id)
    return queued


def redo_unit(session: Session, unit_id: int) -> bool:
    """Drop the result of a unit that is done, and queue it again; a job that has ended runs again.

    Return False, with nothing changed, if the unit is not done, or its job is cancelled or being
    planned.
    """
    job_id = session.scalar(select(Unit.job_id).where(Unit.id == unit_id))
    if job_id is None or lock_job(session, job_id) in {JobState.CANCELLED, JobState.PLANNING}:
        return False
    anew = update(Unit).where(Unit.id == unit_id, DONE)
    anew = anew.values(result=None, finished_at=None, nodes=0, seconds=0.0, **ANEW)
    if not session.connection().execute(anew).rowcount:
        return False
    _run_again(session, job_id)
    return True


def set_priority(session: Session, job_id: int, priority: int) -> None:
    """Change the priority of a job, in any state; see ``create_job``.

    Raises:
        JobNotFoundError: no job has this number.
    """
    lock_job(session, job_id)
    session.connection().execute(update(Job).where(Job.id == job_id).values(priority=priority))


def _run_again(session: Session, job_id: int) -> JobState:
    """Open a locked job; close it at once if it has no work left."""
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(state=JobState.RUNNING, finished_at=None)
    )
    return close_if_complete(session, job_id, JobState.RUNNING)
