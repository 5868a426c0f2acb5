"""Shared parts of this package: conditions on jobs and units, their locks, and the end of a job.

Conditions on units are written so that the partial indexes of :class:`db.models.Unit` apply. Their
states are literals in the SQL: with a parameter, neither database could use a partial index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, literal_column, or_, select, update

from db.decoding import is_number
from db.errors import JobNotFoundError
from db.models import Job, SharedBounds, Unit
from db.records.jobs import LONGEST_LEASE, JobState, UnitState
from db.sql import now

if TYPE_CHECKING:
    from sqlalchemy import ColumnExpressionArgument, Select
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

QUEUED: Final[ColumnElement[bool]] = Unit.state == literal_column("'queued'")
LEASED: Final[ColumnElement[bool]] = Unit.state == literal_column("'leased'")
FAILED: Final[ColumnElement[bool]] = Unit.state == literal_column("'failed'")
DONE: Final[ColumnElement[bool]] = Unit.state == literal_column("'done'")
CANCELLED: Final[ColumnElement[bool]] = Unit.state == literal_column("'cancelled'")

IN_TURN: Final = (Unit.announced_at, Unit.seq)
"""The order of queued units: returned ones, then those never announced, then the others."""

ANNOUNCE_FIRST: Final = -1.0
"""``announced_at`` of a returned unit: it comes first, because ordered output waits for it."""

NEVER_ANNOUNCED: Final = 0.0
"""``announced_at`` of a unit without a message."""

FREE: Final[dict[str, Any]] = {"owner": None, "lease_until": None}
"""Values of a unit that is not leased."""

ANEW: Final[dict[str, Any]] = {
    "state": UnitState.QUEUED,
    "attempts": 0,
    "lapses": 0,
    "announced_at": NEVER_ANNOUNCED,
    **FREE,
}
"""Values of a unit that is queued again as if new, except for its fence."""


def asks_for(
    kind: str, *, board: BoardSize, params: Json, engine_version: int
) -> ColumnElement[bool]:
    """The condition that a job has exactly these arguments of ``create_job``."""
    return and_(
        Job.kind == kind,
        Job.width == board.width,
        Job.height == board.height,
        Job.params == params,
        Job.engine_version == engine_version,
    )


def lease_ran_out(session: Session) -> ColumnElement[bool]:
    """The condition that a unit is leased, and its lease has run out."""
    at = now(session)
    return and_(LEASED, or_(Unit.lease_until < at, Unit.lease_until > at + LONGEST_LEASE))


def lease_lives(session: Session) -> ColumnElement[bool]:
    """The condition that a unit is leased, and its lease has not run out."""
    at = now(session)
    return and_(LEASED, Unit.lease_until >= at, Unit.lease_until <= at + LONGEST_LEASE)


def lease_end(session: Session, seconds: float) -> ColumnElement[float]:
    """The end of a lease that is given or prolonged now."""
    return now(session) + min(seconds, LONGEST_LEASE)


def has_open_unit(session: Session, job_id: int) -> bool:
    """Whether a job has a unit that is queued or leased."""
    # One statement: between two, a unit may go from leased to queued, and both would miss it.
    queued, leased = (
        first_unit(and_(condition, Unit.job_id == job_id), *order).scalar_subquery()
        for condition, order in ((QUEUED, IN_TURN), (LEASED, (Unit.lease_until,)))
    )
    return session.scalar(select(func.coalesce(queued, leased))) is not None


def has_failed_unit(session: Session, job_id: int) -> bool:
    """Return whether a unit of a job has failed."""
    failed = first_unit(and_(FAILED, Unit.job_id == job_id), Unit.seq)
    return session.scalar(failed) is not None


def first_unit(
    condition: ColumnElement[bool],
    *order: ColumnExpressionArgument[Any],
    what: InstrumentedAttribute[int] = Unit.id,
) -> Select[Any]:
    """Select the first unit that meets a condition: its number, or ``what``; empty if none does.

    It uses ORDER BY and LIMIT instead of EXISTS. PostgreSQL answers EXISTS by reading the table if
    old statistics suggest that every second unit meets the condition.
    """
    return select(what).where(condition).order_by(*order).limit(1)


def finish_if_complete(session: Session, job_id: int) -> JobState:
    """Close a running job that has no work left; return its state.

    It becomes ``done``, or ``failed`` if a unit failed. Call this after ``complete`` or ``fail``,
    in a transaction of its own: if two workers complete the last two units at the same time,
    neither of their transactions sees the other's unit as done. Calling it again changes nothing.

    Raises:
        JobNotFoundError: no job has this number.
    """
    state = session.scalar(select(Job.state).where(Job.id == job_id))
    # Checked before the lock is taken: every worker comes here after every unit.
    if state is JobState.RUNNING and has_open_unit(session, job_id):
        return state
    if state is not None and state is not JobState.RUNNING:
        return state
    return close_if_complete(session, job_id, lock_job(session, job_id))


def lock_job(session: Session, job_id: int) -> JobState:
    """Lock a job and return its state, which cannot change until the end of the transaction.

    A transaction that locks a job and its units must lock the job first; otherwise two of them may
    wait for each other.
    """
    query = select(Job.state).where(Job.id == job_id).with_for_update()
    state = session.scalar(query) if is_number(job_id) else None
    if state is None:
        raise JobNotFoundError(job_id)
    return state


def lock_leased(session: Session, *which: ColumnElement[bool]) -> None:
    """Lock leased units: they cannot be prolonged or ended until the end of the transaction.

    Call it before they are written together. Several units are always locked in the order of their
    numbers, also to prolong leases; an UPDATE would lock them in the order of the table. A
    transaction that locks the units' job as well must have locked it before.
    """
    units = select(Unit.id).where(LEASED, *which).order_by(Unit.id)
    session.connection().execute(units.with_for_update()).all()


def close_if_complete(session: Session, job_id: int, state: JobState) -> JobState:
    """Close a locked job if it runs and has no work left; return its state."""
    if state is not JobState.RUNNING or has_open_unit(session, job_id):
        return state
    state = JobState.FAILED if has_failed_unit(session, job_id) else JobState.DONE
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(state=state, finished_at=now(session))
    )
    _drop_shared_bounds(session, but_of=job_id)
    return state


def _drop_shared_bounds(session: Session, *, but_of: int) -> None:
    """Delete the bounds that processes of finished jobs have shared.

    The bounds of the job that has ended now stay until the next call, because a process may still
    read them.
    """
    done = select(Job.id).where(Job.state == JobState.DONE, Job.id != but_of)
    session.connection().execute(delete(SharedBounds).where(SharedBounds.job_id.in_(done)))
