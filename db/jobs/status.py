"""All jobs together: queued and running units, the pace, and the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import distinct, func, select

from db.clock import now
from db.jobs.conditions import FAILED, QUEUED, lease_lives, lease_ran_out
from db.jobs.pace import Load, read_pace, remaining_seconds
from db.models import Job, Unit
from db.records.jobs import JobState, ServiceStatus
from db.registry import live_workers

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


class _Sums(NamedTuple):
    units: int
    load: Load
    age: float | None
    """The age of their oldest job, since it was started."""


def totals(session: Session) -> ServiceStatus:
    """All jobs together."""
    queued = _sums(session, QUEUED)
    lapsed = _sums(session, lease_ran_out(session))
    running = _sums(session, lease_lives(session))
    pace = read_pace(session)
    left = queued.load + lapsed.load + running.load
    return ServiceStatus(
        jobs=_jobs(session),
        queued_units=queued.units + lapsed.units,
        running_units=running.units,
        failed_units=_failed_units(session),
        queued_positions=queued.load.positions + lapsed.load.positions,
        running_positions=running.load.positions,
        positions_per_second=pace.positions_per_second,
        eta_seconds=remaining_seconds(left, pace, pace.units),
        oldest_queued_seconds=max(
            (part.age for part in (queued, lapsed) if part.age is not None), default=None
        ),
        workers=_owners(session),
        live_workers=live_workers(session),
    )


def _sums(session: Session, condition: ColumnElement[bool]) -> _Sums:
    """Sums over the units of running jobs that meet a condition.

    One condition at a time: each has an index of its own, and OR would use none.
    """
    query = (
        select(
            func.count(),
            func.sum(Unit.positions),
            func.sum(Unit.expected_seconds),
            now(session) - func.min(Job.started_at),
        )
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, condition)
    )
    units, positions, expected, age = session.execute(query).one()
    return _Sums(units, Load(int(positions or 0), expected or 0.0), age)


def _owners(session: Session) -> int:
    query = (
        select(func.count(distinct(Unit.owner)))
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, lease_lives(session))
    )
    return session.scalar(query) or 0


def _jobs(session: Session) -> dict[JobState, int]:
    jobs = dict.fromkeys(JobState, 0)
    for state, number in session.execute(select(Job.state, func.count()).group_by(Job.state)):
        jobs[state] = number
    return jobs


def _failed_units(session: Session) -> int:
    query = (
        select(func.count())
        .select_from(Unit)
        .join(Job, Unit.job_id == Job.id)
        .where(FAILED, Job.state.in_([JobState.RUNNING, JobState.FAILED]))
    )
    return session.scalar(query) or 0
