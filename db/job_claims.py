"""Claiming units and giving them back: the core that every runner drives.

A claim is a lease on the database's clock. It is fenced: every claim of a unit raises its
``fence``, and whoever comes with an older one changes nothing, however late. So it does not
matter how often a unit is announced, nor whether a worker that was thought dead comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, select, update

from c4core.notation import BoardSize
from db.clock import now
from db.evaluation_store import store
from db.job_planning import close_if_complete, lock_job
from db.job_records import MAX_ATTEMPTS, Claim, JobState, UnitState
from db.models import Job, Unit
from db.unit_conditions import LEASED, QUEUED, lease_ran_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, ColumnExpressionArgument, Row
    from sqlalchemy.orm import Session

    from db.evaluation_rows import StoredEvaluation
    from db.job_records import Json

_ERROR_LENGTH: Final = 2_000
"""Characters of an error that are kept."""

_LAPSED: Final = f"lease expired {MAX_ATTEMPTS} times"

_FREE: Final[dict[str, Any]] = {"owner": None, "lease_until": None}


def claim(
    session: Session,
    *,
    owner: str,
    lease_seconds: float,
    engine_version: int,
    job_id: int | None = None,
    kinds: Sequence[str] | None = None,
) -> Claim | None:
    """Take a unit to work on. Any number of claimers get different units and do not wait.

    Jobs of higher priority come first, then older ones; within a job, units whose lease has run
    out come first, then those that are queued, in order. A unit whose lease has run out for the
    last time that is allowed is ``failed`` on the way, and its job closed if it was the last.

    Args:
        session: in a write transaction, best one of its own.
        owner: who claims; for people, and for counting workers.
        lease_seconds: without a heartbeat for so long, the unit is somebody else's.
        engine_version: of the claimer; jobs of other versions are left alone.
        job_id: only from this job.
        kinds: only from jobs of these kinds.

    Returns:
        None when there is nothing to do now; others may still hold leases that run out.
    """
    for job in _running_jobs(session, engine_version, job_id, kinds):
        unit = _take_lapsed(session, job.id) or _take(session, job.id, QUEUED, Unit.seq)
        if unit is not None:
            return _lease(session, job, unit, owner, lease_seconds)
    return None


def heartbeat(session: Session, claim: Claim, lease_seconds: float) -> bool:
    """Prolong the lease: it lasts ``lease_seconds`` from now.

    Returns:
        False: the unit is somebody else's or its job was cancelled. Stop working on it.
    """
    return _change(session, claim, lease_until=now(session) + lease_seconds)


def complete(
    session: Session,
    claim: Claim,
    *,
    evaluations: Sequence[StoredEvaluation],
    result: Json | None,
    nodes: int,
    seconds: float,
) -> bool:
    """Store what was found and mark the unit done, both or neither.

    Args:
        session: in a write transaction of its own.
        claim: what was worked on.
        evaluations: on the claim's board.
        result: kept with the unit, for the job's output.
        nodes: searched for this unit.
        seconds: spent on it.

    Returns:
        False, with nothing written: the unit is somebody else's by now, or was cancelled.

    Raises:
        ContradictionError: as ``store``. Let it end the transaction, then ``fail`` the unit.
    """
    done = _change(
        session,
        claim,
        state=UnitState.DONE,
        result=result,
        error=None,
        nodes=nodes,
        seconds=seconds,
        finished_at=now(session),
        **_FREE,
    )
    if done:
        store(session, claim.board, evaluations)
    return done


def release(session: Session, claim: Claim) -> bool:
    """Hand the unit back untouched: it is queued again, and the attempt does not count.

    Returns:
        False: it was not ours any more.
    """
    return _change(session, claim, state=UnitState.QUEUED, attempts=claim.attempts - 1, **_FREE)


def fail(session: Session, claim: Claim, error: str) -> UnitState | None:
    """Give the unit back with an error: it is queued again, or failed after MAX_ATTEMPTS.

    Returns:
        Its new state; None: it was not ours any more, and nothing was written.
    """
    state = UnitState.FAILED if claim.attempts >= MAX_ATTEMPTS else UnitState.QUEUED
    # PostgreSQL's text cannot hold NUL.
    kept = error.replace("\0", "\N{REPLACEMENT CHARACTER}")[:_ERROR_LENGTH]
    return state if _change(session, claim, state=state, error=kept, **_FREE) else None


def finish_if_complete(session: Session, job_id: int) -> JobState:
    """Close a running job that has nothing left to do: ``done``, or ``failed`` if a unit did.

    Call it after ``complete`` or ``fail`` in a transaction of its own: of two workers that
    complete the last two units at the same time, neither sees the other's until it has ended.

    Returns:
        The job's state. Calling it again changes nothing.

    Raises:
        JobNotFoundError: there is no such job.
    """
    state = session.scalar(select(Job.state).where(Job.id == job_id))
    if state is not None and state is not JobState.RUNNING:
        return state
    return close_if_complete(session, job_id, lock_job(session, job_id))


def _running_jobs(
    session: Session, engine_version: int, job_id: int | None, kinds: Sequence[str] | None
) -> Sequence[Row[Any]]:
    query = (
        select(Job.id, Job.kind, Job.params, Job.width, Job.height)
        .where(Job.state == JobState.RUNNING, Job.engine_version == engine_version)
        .order_by(Job.priority.desc(), Job.id)
    )
    if job_id is not None:
        query = query.where(Job.id == job_id)
    if kinds is not None:
        query = query.where(Job.kind.in_(kinds))
    return session.connection().execute(query).all()


def _take_lapsed(session: Session, job_id: int) -> Row[Any] | None:
    """Lock a unit whose lease has run out, if there is one that may be tried again."""
    ran_out = and_(Unit.job_id == job_id, lease_ran_out(session))
    attempts = session.scalars(select(Unit.attempts).where(ran_out)).all()
    if not attempts:
        return None
    if max(attempts) >= MAX_ATTEMPTS:
        state = lock_job(session, job_id)
        session.connection().execute(
            update(Unit)
            .where(ran_out, Unit.attempts >= MAX_ATTEMPTS)
            .values(state=UnitState.FAILED, error=_LAPSED, **_FREE)
        )
        close_if_complete(session, job_id, state)
    again = and_(ran_out, Unit.attempts < MAX_ATTEMPTS)
    return _take(session, job_id, again, Unit.lease_until, Unit.seq)


def _take(
    session: Session,
    job_id: int,
    condition: ColumnElement[bool],
    *order: ColumnExpressionArgument[Any],
) -> Row[Any] | None:
    """Lock the first unit that meets the condition and that nobody else has locked."""
    query = (
        select(Unit.id, Unit.seq, Unit.fence, Unit.attempts, Unit.payload, Unit.positions)
        .where(Unit.job_id == job_id, condition)
        .order_by(*order)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    return session.connection().execute(query).one_or_none()


def _lease(
    session: Session, job: Row[Any], unit: Row[Any], owner: str, lease_seconds: float
) -> Claim:
    session.connection().execute(
        update(Unit)
        .where(Unit.id == unit.id)
        .values(
            state=UnitState.LEASED,
            fence=unit.fence + 1,
            attempts=unit.attempts + 1,
            owner=owner,
            lease_until=now(session) + lease_seconds,
        )
    )
    return Claim(
        unit_id=unit.id,
        job_id=job.id,
        kind=job.kind,
        seq=unit.seq,
        fence=unit.fence + 1,
        attempts=unit.attempts + 1,
        payload=unit.payload,
        params=job.params,
        board=BoardSize(job.width, job.height),
        positions=unit.positions,
        lease_seconds=lease_seconds,
        owner=owner,
    )


def _change(session: Session, claim: Claim, **values: object) -> bool:
    """Write to the unit if the claim still holds it."""
    changed = session.connection().execute(
        update(Unit)
        .where(Unit.id == claim.unit_id, Unit.fence == claim.fence, LEASED)
        .values(**values)
    )
    return changed.rowcount == 1
