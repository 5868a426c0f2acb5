"""Delete jobs that have ended, with their units. Evaluations and games that they stored stay."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from db.errors import JobNotFoundError
from db.jobs.state import lock_job, wrong_state
from db.models import Job
from db.records.jobs import INTERACTIVE_PRIORITY, JobState
from db.sql import now

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from db.database import Database

INTERACTIVE_SECONDS: Final = 86_400.0
"""An interactive job is deleted so long after its end: its answer was read at once."""

_ENDED: Final = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)

_AT_A_TIME: Final = 100
"""Maximum number of jobs in one query."""


def delete_job(session: Session, job_id: int) -> None:
    """Delete a job and its units.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job has not ended.
    """
    state = lock_job(session, job_id)
    if state not in _ENDED:
        raise wrong_state(job_id, state, "cancel it first")
    session.connection().execute(delete(Job).where(Job.id == job_id))


def prune_jobs(database: Database, older_than: float) -> int:
    """Delete all jobs that ended more than this many seconds ago; return their number.

    Each job is deleted in a transaction of its own.
    """
    deleted = 0
    while True:
        with database.read() as session:
            numbers = session.scalars(_ended_before(session, older_than)).all()
        if not numbers:
            return deleted
        for number in numbers:
            deleted += database.run(partial(_delete_ended, job_id=number))


def prune_interactive(session: Session) -> None:
    """Delete some interactive jobs that ended more than a day ago."""
    old = _ended_before(session, INTERACTIVE_SECONDS).where(Job.priority >= INTERACTIVE_PRIORITY)
    session.connection().execute(delete(Job).where(Job.id.in_(old)))


def _ended_before(session: Session, seconds: float) -> Select[int]:
    old = Job.finished_at < now(session) - seconds
    return select(Job.id).where(Job.state.in_(_ENDED), old).order_by(Job.id).limit(_AT_A_TIME)


def _delete_ended(session: Session, job_id: int) -> int:
    """Delete a job unless it was resumed or deleted since; return the number of deleted jobs."""
    try:
        if lock_job(session, job_id) not in _ENDED:
            return 0
    except JobNotFoundError:
        return 0
    delete_job(session, job_id)
    return 1
