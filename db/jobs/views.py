"""Looking at jobs: lists, details, progress, results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from c4core.notation import BoardSize
from db.decoding import is_number
from db.errors import JobNotFoundError
from db.jobs.conditions import FAILED, asks_for, lease_lives
from db.jobs.pace import read_pace, remaining_seconds
from db.jobs.tallies import Tally, read_tallies
from db.models import Job, Unit
from db.records.jobs import (
    FailedUnit,
    JobInfo,
    JobProgress,
    JobState,
    UnitResult,
    UnitState,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from db.records.jobs import Json

_ERROR_SAMPLES: Final = 5


def list_jobs(
    session: Session,
    *,
    limit: int = 50,
    states: Sequence[JobState] | None = None,
    before: int | None = None,
) -> list[JobInfo]:
    """The newest jobs, newest first.

    Args:
        session: any.
        limit: at most so many.
        states: only jobs in one of these.
        before: only jobs with smaller numbers, to go on behind an earlier list.
    """
    query = select(Job).order_by(Job.id.desc()).limit(limit)
    if before is not None:
        query = query.where(Job.id < before)
    if states is not None:
        query = query.where(Job.state.in_(states))
    jobs = session.scalars(query).all()
    tallies = read_tallies(session, [job.id for job in jobs])
    return [_info(job, tallies[job.id]) for job in jobs]


def get_job(session: Session, job_id: int) -> JobInfo:
    """Everything about one job.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    job = session.get(Job, job_id) if is_number(job_id) else None
    if job is None:
        raise JobNotFoundError(job_id)
    errors = select(Unit.error).where(Unit.job_id == job_id, FAILED).distinct()
    samples = session.scalars(errors.limit(_ERROR_SAMPLES)).all()
    return _info(job, read_tallies(session, [job_id])[job_id], tuple(map(str, samples)))


def jobs_of_label(session: Session, label: str, *, kind: str, board: BoardSize) -> list[int]:
    """The numbers of the jobs with this label, ascending.

    Args:
        session: any.
        label: as it was given to ``create_job``, like all that follows.
        kind: likewise.
        board: likewise.
    """
    query = select(Job.id).where(
        Job.label == label, Job.kind == kind, Job.width == board.width, Job.height == board.height
    )
    return list(session.scalars(query.order_by(Job.id)))


def newest_job(
    session: Session, *, kind: str, board: BoardSize, params: Json, engine_version: int
) -> int | None:
    """The newest started job that asks for exactly this, or None.

    Args:
        session: any.
        kind: as it was given to ``create_job``, like all that follows.
        board: likewise.
        params: likewise, in the same order.
        engine_version: likewise.
    """
    query = (
        select(Job.id)
        .where(
            asks_for(kind, board=board, params=params, engine_version=engine_version),
            Job.started_at.is_not(None),
        )
        .order_by(Job.id.desc())
        .limit(1)
    )
    return session.scalars(query).one_or_none()


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


def state_of(session: Session, job_id: int) -> JobState:
    """The state of a job.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    query = select(Job.state).where(Job.id == job_id)
    state = session.scalar(query) if is_number(job_id) else None
    if state is None:
        raise JobNotFoundError(job_id)
    return state


def progress(session: Session, job_id: int) -> JobProgress:
    """The progress of a job. It takes seven queries more than the state alone.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    state = state_of(session, job_id)
    tally = read_tallies(session, [job_id])[job_id]
    pace = read_pace(session, job_id)
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
        positions_per_second=pace.positions_per_second,
        eta_seconds=remaining_seconds(tally.left, pace, tally.units[UnitState.DONE]),
    )


def _info(job: Job, tally: Tally, errors: tuple[str, ...] = ()) -> JobInfo:
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
