"""Whether anybody works on a running job.

A live lease shows it. A process that works on one job and nothing else
(:mod:`workers.runners.local`) does not hold a lease at every moment, so it records heartbeats in
the job's row as well. Workers that take units of any job are in the register (:mod:`db.registry`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select, update

from db.clock import now, seen_within
from db.jobs.conditions import lease_lives
from db.jobs.planner_heartbeat import is_abandoned
from db.models import Job, Unit
from db.records.jobs import JobState

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

RUNNER_ALIVE_SECONDS: Final = 10.0
"""After so long without a heartbeat, nobody runs the job any more: as long as a lease."""


def record_runner_heartbeat(session: Session, job_id: int) -> None:
    """Record that a process runs a job now; call it more often than every RUNNER_ALIVE_SECONDS."""
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(runner_seen_at=now(session))
    )


def clear_runner_heartbeat(session: Session, job_id: int) -> None:
    """Remove the heartbeat; other processes that run the job record theirs, or hold leases."""
    session.connection().execute(update(Job).where(Job.id == job_id).values(runner_seen_at=None))


def attended_jobs(session: Session) -> set[int]:
    """The jobs of which somebody holds a lease, or that run and have had a heartbeat lately."""
    held = session.scalars(select(Unit.job_id).where(lease_lives(session)).distinct())
    seen = seen_within(session, Job.runner_seen_at, RUNNER_ALIVE_SECONDS)
    run = session.scalars(select(Job.id).where(Job.state == JobState.RUNNING, seen))
    return {*held, *run}


def begun_jobs(session: Session) -> set[int]:
    """The running jobs of which at least one unit was ever claimed."""
    query = (
        select(Unit.job_id)
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, Unit.seq == 0, Unit.fence > 0)
    )
    return set(session.scalars(query))


def abandoned_jobs(session: Session) -> set[int]:
    """The jobs that are being planned, and whose planner is gone."""
    return set(session.scalars(select(Job.id).where(is_abandoned(session))))
