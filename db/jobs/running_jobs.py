"""The jobs that run now: cheap to ask for, because nothing is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, select

from db.jobs.conditions import IN_TURN, LEASED, QUEUED, first_unit
from db.models import Job, Unit
from db.records.jobs import INTERACTIVE_PRIORITY, JobState

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


class RunningJob(NamedTuple):
    """What a worker needs to know of a job to tell whether it can work on it."""

    id: int
    kind: str
    engine_version: int
    priority: int


def running_jobs(session: Session) -> list[RunningJob]:
    """The running jobs, in the order in which they are worked on."""
    query = (
        select(Job.id, Job.kind, Job.engine_version, Job.priority)
        .where(Job.state == JobState.RUNNING)
        .order_by(Job.priority.desc(), Job.id)
    )
    return [RunningJob(*row) for row in session.execute(query)]


def has_queued_unit(session: Session, *, engine_version: int, interactive: bool) -> bool:
    """Whether a unit waits for a claim; arguments as of ``announce``."""
    queued = first_unit(and_(Unit.job_id == Job.id, QUEUED), *IN_TURN).scalar_subquery()
    is_interactive = Job.priority >= INTERACTIVE_PRIORITY
    query = select(Job.id).where(
        Job.state == JobState.RUNNING,
        Job.engine_version == engine_version,
        is_interactive if interactive else ~is_interactive,
        queued.is_not(None),
    )
    return session.scalar(query.limit(1)) is not None


def jobs_to_finish(session: Session) -> list[int]:
    """Running jobs with nothing left to do: the worker of the last unit died before it closed them.

    Call ``finish_if_complete`` for each of them, in a transaction of its own.
    """
    has_nothing_open = (
        first_unit(and_(Unit.job_id == Job.id, condition), *order).scalar_subquery().is_(None)
        for condition, order in ((QUEUED, IN_TURN), (LEASED, (Unit.lease_until,)))
    )
    query = select(Job.id).where(Job.state == JobState.RUNNING, *has_nothing_open)
    return list(session.scalars(query))
