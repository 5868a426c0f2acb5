"""Looking at jobs: lists, details, progress, results."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, case, distinct, func, or_, select

from c4core.notation import BoardSize
from db.clock import now
from db.errors import JobNotFoundError
from db.job_records import (
    FailedUnit,
    JobInfo,
    JobProgress,
    JobState,
    ServiceStatus,
    UnitResult,
    UnitState,
)
from db.models import Job, Unit
from db.unit_conditions import DONE, FAILED, QUEUED, lease_lives, lease_ran_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

_RATE_SECONDS: Final = 60.0
"""The rate is that of the units completed within this time."""

_ERROR_SAMPLES: Final = 5


class _Tally:
    """Sums over a job's units, by state."""

    def __init__(self) -> None:
        self.units = dict.fromkeys(UnitState, 0)
        self.positions = dict.fromkeys(UnitState, 0)
        self.nodes = 0
        self.seconds = 0.0


def list_jobs(
    session: Session, *, limit: int = 50, states: Sequence[JobState] | None = None
) -> list[JobInfo]:
    """The newest jobs, newest first.

    Args:
        session: any.
        limit: at most so many.
        states: only jobs in one of these.
    """
    query = select(Job).order_by(Job.id.desc()).limit(limit)
    if states is not None:
        query = query.where(Job.state.in_(states))
    jobs = session.scalars(query).all()
    tallies = _tallies(session, [job.id for job in jobs])
    return [_info(job, tallies[job.id]) for job in jobs]


def get_job(session: Session, job_id: int) -> JobInfo:
    """Everything about one job.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    job = session.get(Job, job_id)
    if job is None:
        raise JobNotFoundError(job_id)
    errors = select(Unit.error).where(Unit.job_id == job_id, FAILED).distinct()
    samples = session.scalars(errors.limit(_ERROR_SAMPLES)).all()
    return _info(job, _tallies(session, [job_id])[job_id], tuple(map(str, samples)))


def failed_units(session: Session, job_id: int, *, limit: int = 100) -> list[FailedUnit]:
    """The units of a job that were given up, in order."""
    query = (
        select(Unit.id, Unit.seq, Unit.attempts, Unit.positions, Unit.error)
        .where(Unit.job_id == job_id, FAILED)
        .order_by(Unit.seq)
        .limit(limit)
    )
    return [
        FailedUnit(unit_id, seq, attempts, positions, error or "")
        for unit_id, seq, attempts, positions, error in session.execute(query)
    ]


def unit_results(
    session: Session, job_id: int, *, after_seq: int = -1, limit: int = 100
) -> list[UnitResult]:
    """Units of a job behind ``after_seq``, in order and without a gap, whatever their state."""
    query = (
        select(Unit.seq, Unit.state, Unit.payload, Unit.result, Unit.error)
        .where(Unit.job_id == job_id, Unit.seq > after_seq)
        .order_by(Unit.seq)
        .limit(limit)
    )
    return [
        UnitResult(seq, state, payload, result, error)
        for seq, state, payload, result, error in session.execute(query)
    ]


def progress(session: Session, job_id: int) -> JobProgress:
    """How far a job is.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    state = session.scalar(select(Job.state).where(Job.id == job_id))
    if state is None:
        raise JobNotFoundError(job_id)
    tally = _tallies(session, [job_id])[job_id]
    left = tally.positions[UnitState.QUEUED] + tally.positions[UnitState.LEASED]
    rate = _rate(session, job_id)
    live = select(func.count()).where(Unit.job_id == job_id, lease_lives(session))
    return JobProgress(
        job_id=job_id,
        state=state,
        units=sum(tally.units.values()),
        units_done=tally.units[UnitState.DONE],
        units_failed=tally.units[UnitState.FAILED],
        units_leased=session.scalar(live) or 0,
        positions=sum(tally.positions.values()),
        positions_done=tally.positions[UnitState.DONE],
        positions_failed=tally.positions[UnitState.FAILED],
        nodes=tally.nodes,
        seconds=tally.seconds,
        positions_per_second=rate,
        eta_seconds=_eta(left, rate),
    )


def totals(session: Session) -> ServiceStatus:
    """All jobs together."""
    jobs = dict.fromkeys(JobState, 0)
    for state, number in session.execute(select(Job.state, func.count()).group_by(Job.state)):
        jobs[state] = number
    waits = or_(QUEUED, lease_ran_out(session))
    lives = lease_lives(session)
    open_units = session.execute(
        select(
            func.coalesce(func.sum(case((waits, 1), else_=0)), 0),
            func.coalesce(func.sum(case((waits, Unit.positions), else_=0)), 0),
            func.coalesce(func.sum(case((lives, 1), else_=0)), 0),
            func.coalesce(func.sum(case((lives, Unit.positions), else_=0)), 0),
            func.count(distinct(case((lives, Unit.owner)))),
            now(session) - func.min(case((waits, Job.started_at))),
        )
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, or_(QUEUED, lives, waits))
    ).one()
    queued, queued_positions, running, running_positions, workers, age = open_units
    failed = session.scalar(
        select(func.count())
        .select_from(Unit)
        .join(Job, Unit.job_id == Job.id)
        .where(FAILED, Job.state.in_([JobState.RUNNING, JobState.FAILED]))
    )
    rate = _rate(session, None)
    return ServiceStatus(
        jobs=jobs,
        queued_units=int(queued),
        running_units=int(running),
        failed_units=failed or 0,
        queued_positions=int(queued_positions),
        running_positions=int(running_positions),
        positions_per_second=rate,
        eta_seconds=_eta(int(queued_positions + running_positions), rate),
        oldest_queued_seconds=age,
        workers=workers,
    )


def _tallies(session: Session, job_ids: Iterable[int]) -> defaultdict[int, _Tally]:
    query = (
        select(
            Unit.job_id,
            Unit.state,
            func.count(),
            func.sum(Unit.positions),
            func.sum(Unit.nodes),
            func.sum(Unit.seconds),
        )
        .where(Unit.job_id.in_(job_ids))
        .group_by(Unit.job_id, Unit.state)
    )
    tallies: defaultdict[int, _Tally] = defaultdict(_Tally)
    for job_id, state, units, positions, nodes, seconds in session.execute(query):
        tally = tallies[job_id]
        tally.units[state] = units
        tally.positions[state] = int(positions)
        tally.nodes += int(nodes)  # PostgreSQL sums bigint as a decimal number
        tally.seconds += seconds
    return tallies


def _info(job: Job, tally: _Tally, errors: tuple[str, ...] = ()) -> JobInfo:
    return JobInfo(
        id=job.id,
        kind=job.kind,
        board=BoardSize(job.width, job.height),
        state=job.state,
        label=job.label,
        params=job.params,
        priority=job.priority,
        engine_version=job.engine_version,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        units=tally.units,
        positions=tally.positions,
        nodes=tally.nodes,
        seconds=tally.seconds,
        errors=errors,
    )


def _rate(session: Session, job_id: int | None) -> float | None:
    """Positions a second within the last minute, of one job or of all; None without any."""
    since = now(session) - _RATE_SECONDS
    conditions: list[Any] = [and_(DONE, Unit.finished_at >= since)]
    if job_id is not None:
        conditions.append(Unit.job_id == job_id)
    positions, elapsed = session.execute(
        select(func.sum(Unit.positions), now(session) - func.min(Job.started_at))
        .join(Job, Unit.job_id == Job.id)
        .where(*conditions)
    ).one()
    # Whatever began less than a minute ago is measured over the time that it had.
    if positions is None or elapsed is None or elapsed <= 0:
        return None
    return float(positions) / min(_RATE_SECONDS, elapsed)


def _eta(positions: int, rate: float | None) -> float | None:
    if positions == 0:
        return 0.0
    return positions / rate if rate else None
