"""Claiming units: the next one there is, or the one that a message has named.

A claim is a lease on the database's clock. It is fenced: every claim of a unit raises its
``fence``, and whoever comes with an older one changes nothing, however late. So it does not
matter how often a unit is announced, nor whether a worker that was thought dead comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, or_, select, update

from c4core.notation import BoardSize
from db.job_lapses import give_up_lapsed, may_lapse_again
from db.job_records import MAX_LAPSES, Claim, JobState, UnitState
from db.models import Job, Unit
from db.unit_conditions import IN_TURN, QUEUED, lease_end, lease_ran_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, ColumnExpressionArgument, Row, Select
    from sqlalchemy.orm import Session


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
    out come first, then those that are queued, in the order of ``announce``: what others were told
    of is left to them for as long as there is something else. A unit whose lease has run out for
    the last time that is allowed is ``failed`` on the way, and its job closed if it was the last.

    Args:
        session: in a write transaction, best one of its own.
        owner: who claims; for people, and for counting workers.
        lease_seconds: without a heartbeat for so long, the unit is somebody else's; LONGEST_LEASE
            at most.
        engine_version: of the claimer; jobs of other versions are left alone.
        job_id: only from this job.
        kinds: only from jobs of these kinds.

    Returns:
        None when there is nothing to do now; others may still hold leases that run out.
    """
    for job in _running_jobs(session, engine_version, job_id, kinds):
        unit = _take_lapsed(session, job) or _take(session, job, QUEUED, *IN_TURN)
        if unit is not None:
            return _lease(session, unit, owner, lease_seconds)
    return None


def claim_unit(
    session: Session, unit_id: int, *, owner: str, lease_seconds: float, engine_version: int
) -> Claim | None:
    """Take this unit to work on, if it may be taken. Never waits for another claimer.

    Args:
        session: in a write transaction, best one of its own.
        unit_id: as ``announce`` gave it.
        owner: who claims; for people, and for counting workers.
        lease_seconds: without a heartbeat for so long, the unit is somebody else's.
        engine_version: of the claimer.

    Returns:
        None: the unit is done, given up or somebody else's, its job does not run or is for another
        version of the engine, or there is no such unit. Whatever it is, there is nothing to do: if
        the unit is still to be done, it is announced again.
    """
    # A unit whose last lease ran out is left to requeue_lapsed: giving it up may close its job,
    # and whoever locks a job and units of it locks the job first.
    may_be_taken = or_(QUEUED, and_(lease_ran_out(session), may_lapse_again()))
    query = _claimable().where(
        Unit.id == unit_id,
        Job.state == JobState.RUNNING,
        Job.engine_version == engine_version,
        may_be_taken,
    )
    unit = session.connection().execute(query).one_or_none()
    return None if unit is None else _lease(session, unit, owner, lease_seconds)


def _claimable() -> Select[Any]:
    """All that a claim says of units, which are locked unless somebody else has locked them."""
    return (
        select(
            Unit.id,
            Unit.job_id,
            Unit.state,
            Unit.seq,
            Unit.fence,
            Unit.attempts,
            Unit.lapses,
            Unit.payload,
            Unit.positions,
            Job.kind,
            Job.params,
            Job.width,
            Job.height,
            Job.engine_version,
            Job.priority,
        )
        .join(Job, Unit.job_id == Job.id)
        .with_for_update(of=Unit, skip_locked=True)
    )


def _running_jobs(
    session: Session, engine_version: int, job_id: int | None, kinds: Sequence[str] | None
) -> Sequence[int]:
    query = (
        select(Job.id)
        .where(Job.state == JobState.RUNNING, Job.engine_version == engine_version)
        .order_by(Job.priority.desc(), Job.id)
    )
    if job_id is not None:
        query = query.where(Job.id == job_id)
    if kinds is not None:
        query = query.where(Job.kind.in_(kinds))
    return session.scalars(query).all()


def _take_lapsed(session: Session, job_id: int) -> Row[Any] | None:
    """Lock a unit whose lease has run out, if there is one that may be tried again."""
    ran_out = lease_ran_out(session)
    lapses = session.scalars(select(Unit.lapses).where(Unit.job_id == job_id, ran_out)).all()
    if not lapses:
        return None
    if max(lapses) + 1 >= MAX_LAPSES:
        give_up_lapsed(session, job_id)
    again = and_(ran_out, may_lapse_again())
    return _take(session, job_id, again, Unit.lease_until, Unit.seq)


def _take(
    session: Session,
    job_id: int,
    condition: ColumnElement[bool],
    *order: ColumnExpressionArgument[Any],
) -> Row[Any] | None:
    """Lock the first unit that meets the condition and that nobody else has locked."""
    query = _claimable().where(Unit.job_id == job_id, condition).order_by(*order).limit(1)
    return session.connection().execute(query).one_or_none()


def _lease(session: Session, unit: Row[Any], owner: str, lease_seconds: float) -> Claim:
    """Lease a locked unit. If it was leased before, that lease has lapsed."""
    lapsed = unit.state is UnitState.LEASED
    attempts = unit.attempts if lapsed else unit.attempts + 1
    session.connection().execute(
        update(Unit)
        .where(Unit.id == unit.id)
        .values(
            state=UnitState.LEASED,
            fence=unit.fence + 1,
            attempts=attempts,
            lapses=unit.lapses + lapsed,
            owner=owner,
            lease_until=lease_end(session, lease_seconds),
        )
    )
    return Claim(
        unit_id=unit.id,
        job_id=unit.job_id,
        kind=unit.kind,
        seq=unit.seq,
        fence=unit.fence + 1,
        attempts=attempts,
        payload=unit.payload,
        params=unit.params,
        board=BoardSize(unit.width, unit.height),
        positions=unit.positions,
        lease_seconds=lease_seconds,
        owner=owner,
        engine_version=unit.engine_version,
        priority=unit.priority,
    )
