"""Whether anybody is at work on a job that runs.

A lease that lives says so, and so does the word that a process leaves while it works on one job and
nothing else (:mod:`workers.runners.local`): it has no lease at every moment. Workers that take
whatever comes are in the register (:mod:`db.registry`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from db import duties
from db.jobs.conditions import lease_lives
from db.jobs.planner_heartbeat import is_abandoned
from db.models import Job, Turn, Unit
from db.records.jobs import JobState

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

HEARD_SECONDS: Final = 10.0
"""A process that was not heard of for so long is not at work any more: as long as a lease."""

_PREFIX: Final = "working."
"""Of the name under which a process leaves word, before the number of the job."""

_NUMBER: Final = re.compile("[0-9]{1,19}")
"""Of a job. A word whose name has changed since is nobody's."""


def say_at_work(session: Session, job_id: int) -> None:
    """Say that a process is at work on a job, more often than every HEARD_SECONDS."""
    duties.leave_word(session, f"{_PREFIX}{job_id}")


def say_gone(session: Session, job_id: int) -> None:
    """Take that back. Others that are at work on the job say it again, or have leases."""
    duties.take_back(session, f"{_PREFIX}{job_id}")


def attended_jobs(session: Session) -> set[int]:
    """The jobs that somebody holds a lease of, or has left word about lately."""
    held = session.scalars(select(Unit.job_id).where(lease_lives(session)).distinct())
    words = session.scalars(
        select(Turn.name).where(
            Turn.name.startswith(_PREFIX, autoescape=True), duties.was_heard(session, HEARD_SECONDS)
        )
    )
    names = (word.removeprefix(_PREFIX) for word in words)
    return {*held, *(int(name) for name in names if _NUMBER.fullmatch(name))}


def begun_jobs(session: Session) -> set[int]:
    """The jobs that run and whose first unit was ever claimed."""
    query = (
        select(Unit.job_id)
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, Unit.seq == 0, Unit.fence > 0)
    )
    return set(session.scalars(query))


def abandoned_jobs(session: Session) -> set[int]:
    """The jobs whose planning was never ended, and of whose planner nothing is heard."""
    return set(session.scalars(select(Job.id).where(is_abandoned(session))))
