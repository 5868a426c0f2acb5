"""Claiming units: the next one of any job, or the one that a message has named.

A claim is a lease on the database's clock. It is fenced: every claim of a unit raises its
``fence``, and the holder of an older fence can change nothing. So it does no harm if a unit is
announced several times, or if a worker comes back after its lease has run out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, or_, select, update

from c4core.notation import BoardSize
from db.errors import DamagedValueError
from db.jobs.changes import ANNOUNCE_FIRST, FREE, NEVER_ANNOUNCED
from db.jobs.conditions import IN_TURN, QUEUED, lease_end, lease_ran_out
from db.jobs.leases import give_up_lapsed, may_lapse_again
from db.models import Job, Unit
from db.records.jobs import MAX_LAPSES, Claim, JobState, UnitState
from db.types import as_stored, unseal_stored

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
) -> Claim | None:
    """Take a unit to work on. Any number of claimers get different units and do not wait.

    Jobs of higher priority come first, then older ones. Within a job, units come first whose lease
    has run out, then queued ones in the order of ``announce``: units that were announced to others
    come last. A unit whose lease has run out too often becomes ``failed`` on the way, and its job
    is closed if that was the last unit. A unit that cannot be read becomes ``failed`` as well; its
    job is left to ``finish_if_complete``.

    Args:
        session: in a write transaction, best one of its own.
        owner: who claims; for people, and for counting workers.
        lease_seconds: after so long without a heartbeat others may claim the unit; LONGEST_LEASE
            at most.
        engine_version: of the claimer; jobs of other versions are left alone.
        job_id: only from this job.

    Returns:
        None if there is nothing to do now; leases that others hold may still run out.
    """
    for job in _running_jobs(session, engine_version, job_id):
        again = _lapsed_again(session, job)
        while unit := _take_first(session, job, again):
            claimed = _lease(session, unit, owner, lease_seconds)
            if claimed is not None:
                return claimed
    return None


def claim_unit(
    session: Session, unit_id: int, *, owner: str, lease_seconds: float, engine_version: int
) -> Claim | None:
    """Take this unit to work on, if it can be claimed. Never waits for another claimer.

    Args:
        session: in a write transaction, best one of its own.
        unit_id: as ``announce`` gave it.
        owner: who claims; for people, and for counting workers.
        lease_seconds: after so long without a heartbeat others may claim the unit.
        engine_version: of the claimer.

    Returns:
        None: the unit is done, given up or leased by somebody else, its job does not run or is for
        another version of the engine, or there is no such unit; or it is ``failed`` now because it
        cannot be read. In any case there is nothing to do: a unit that is still to be done is
        announced again.
    """
    # A unit whose last lease ran out is left to requeue_lapsed: giving it up may close its job,
    # and whoever locks a job and units of it locks the job first.
    may_be_taken = or_(QUEUED, and_(lease_ran_out(session), may_lapse_again()))
    query = _claimable(session).where(Unit.id == unit_id, _runs(engine_version), may_be_taken)
    unit = session.connection().execute(query).one_or_none()
    return None if unit is None else _lease(session, unit, owner, lease_seconds)


def claim_next_piece(
    session: Session, job_id: int, *, owner: str, lease_seconds: float, engine_version: int
) -> Claim | None:
    """Take the unit of a growing job that its planner has put first (``read_units``).

    Each message about a unit of such a job stands for one claim, whichever unit it names: between
    announcement and claim, results give the units other payloads, and cut some off.

    Args:
        session: in a write transaction, best one of its own.
        job_id: the job.
        owner: who claims; likewise all that follows as in :func:`claim_unit`.
        lease_seconds: of the lease.
        engine_version: of the claimer.

    Returns:
        None: no unit is queued, the job does not run or is for another version of the engine; or
        the unit is ``failed`` now because it cannot be read.
    """
    query = (
        _claimable(session)
        .where(Unit.job_id == job_id, _runs(engine_version), QUEUED)
        .order_by(Unit.announced_at <= NEVER_ANNOUNCED, *IN_TURN)
        .limit(1)
    )
    unit = session.connection().execute(query).one_or_none()
    return None if unit is None else _lease(session, unit, owner, lease_seconds)


def job_of_unit(session: Session, unit_id: int) -> tuple[int, str] | None:
    """The number and the kind of a unit's job; None if there is no such unit."""
    query = select(Job.id, Job.kind).join(Unit, Unit.job_id == Job.id).where(Unit.id == unit_id)
    row = session.execute(query).one_or_none()
    return None if row is None else (row.id, row.kind)


def _runs(engine_version: int) -> ColumnElement[bool]:
    """The job runs, for this version of the engine."""
    return and_(Job.state == JobState.RUNNING, Job.engine_version == engine_version)


def _claimable(session: Session) -> Select[Any]:
    """The fields of a claim; the query locks its units, and skips those that are locked already.

    Payload and parameters are read in their stored form: if a damaged one made the query fail, its
    unit would stay the next in turn for ever.
    """
    return (
        select(
            Unit.id,
            Unit.job_id,
            Unit.state,
            Unit.seq,
            Unit.fence,
            Unit.attempts,
            Unit.lapses,
            as_stored(session, Unit.payload).label("payload"),
            Unit.positions,
            Job.kind,
            as_stored(session, Job.params).label("params"),
            Job.width,
            Job.height,
            Job.engine_version,
            Job.priority,
        )
        .join(Job, Unit.job_id == Job.id)
        .with_for_update(of=Unit, skip_locked=True)
    )


def _running_jobs(session: Session, engine_version: int, job_id: int | None) -> Sequence[int]:
    query = select(Job.id).where(_runs(engine_version)).order_by(Job.priority.desc(), Job.id)
    if job_id is not None:
        query = query.where(Job.id == job_id)
    return session.scalars(query).all()


def _lapsed_again(session: Session, job_id: int) -> ColumnElement[bool] | None:
    """Units whose lease has run out and that may be tried again; None if there is none.

    The others are given up. This comes before any unit is locked, because it locks the job.
    """
    ran_out = lease_ran_out(session)
    lapses = session.scalars(select(Unit.lapses).where(Unit.job_id == job_id, ran_out)).all()
    if not lapses:
        return None
    if max(lapses) + 1 >= MAX_LAPSES:
        give_up_lapsed(session, job_id)
    return and_(ran_out, may_lapse_again())


def _take_first(
    session: Session, job_id: int, lapsed: ColumnElement[bool] | None
) -> Row[Any] | None:
    """Lock the first unit of a job that can be claimed, if there is one."""
    unit = None
    if lapsed is not None:
        unit = _take(session, job_id, lapsed, Unit.lease_until, Unit.seq)
    return unit or _take(session, job_id, QUEUED, *IN_TURN)


def _take(
    session: Session,
    job_id: int,
    condition: ColumnElement[bool],
    *order: ColumnExpressionArgument[Any],
) -> Row[Any] | None:
    """Lock the first unit that meets the condition and that no other transaction has locked."""
    query = _claimable(session).where(Unit.job_id == job_id, condition)
    query = query.order_by(*order).limit(1)
    return session.connection().execute(query).one_or_none()


def _lease(session: Session, unit: Row[Any], owner: str, lease_seconds: float) -> Claim | None:
    """Lease a locked unit. If it was leased before, that lease has lapsed.

    Returns:
        None: the unit cannot be read, and has failed.
    """
    try:
        params = unseal_stored(unit.params)
    except DamagedValueError as error:
        # All units of the job have these parameters. The queued ones fail at once: there may be
        # a million, too many for one claim each.
        which = or_(Unit.id == unit.id, and_(Unit.job_id == unit.job_id, QUEUED))
        _give_up(session, which, f"the parameters of the job cannot be read: {error}")
        return None
    try:
        payload = unseal_stored(unit.payload)
    except DamagedValueError as error:
        _give_up(session, Unit.id == unit.id, f"what to do cannot be read: {error}")
        return None
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
        payload=payload,
        params=params,
        board=BoardSize(unit.width, unit.height),
        positions=unit.positions,
        lease_seconds=lease_seconds,
        owner=owner,
        engine_version=unit.engine_version,
        priority=unit.priority,
        lapses=unit.lapses + lapsed,
    )


def _give_up(session: Session, which: ColumnElement[bool], error: str) -> None:
    """Fail units that nobody can ever work on. Waits for nobody, and does not touch their job.

    A transaction that locks a job and units of it locks the job first; here a unit is locked
    already.
    """
    free = select(Unit.id).where(which).with_for_update(skip_locked=True)
    session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(free))
        .values(state=UnitState.FAILED, error=error, announced_at=ANNOUNCE_FIRST, **FREE)
    )
