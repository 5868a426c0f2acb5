"""Claim units, announce them to workers, and take them back when a lease has run out.

A claim is a lease on the database's clock. It is fenced: every claim of a unit raises its
``fence``, and the holder of an older fence can change nothing. It therefore does no harm if a unit
is announced several times, or if a worker comes back after its lease has run out.

An announcement is a message to the workers that a unit can be claimed. It may be lost, late, or
delivered twice: the claim decides. An announced unit that is not claimed for some time is announced
again.
"""

from __future__ import annotations

from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, or_, select, text, update

from c4core.notation import BoardSize
from db.jobs.state import (
    ANNOUNCE_FIRST,
    FREE,
    IN_TURN,
    NEVER_ANNOUNCED,
    QUEUED,
    close_if_complete,
    first_unit,
    lease_end,
    lease_ran_out,
    lock_job,
    lock_leased,
)
from db.models import Job, Unit
from db.records.jobs import INTERACTIVE_PRIORITY, MAX_LAPSES, Claim, JobState, UnitState
from db.sql import now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, ColumnExpressionArgument, Row, Select
    from sqlalchemy.orm import Session

_GIVEN_UP: Final = f"lease expired {MAX_LAPSES} times"

FROZEN_SECONDS: Final = 30
"""A client is frozen if PostgreSQL has waited this long for it within a transaction."""

_END_FROZEN: Final = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND usename = current_user AND wait_event = 'ClientRead' "
    "AND backend_xid IS NOT NULL AND state_change < clock_timestamp() - make_interval(secs => :age)"
)
# A transaction that only reads has no xid.

_LAPSED: Final[dict[str, Any]] = {
    "lapses": Unit.lapses + 1,
    "attempts": Unit.attempts - 1,
    **FREE,
}


def claim(
    session: Session,
    *,
    owner: str,
    lease_seconds: float,
    engine_version: int,
    job_id: int | None = None,
) -> Claim | None:
    """Claim a unit. Any number of claimers get different units and do not wait.

    Jobs of higher priority come first, then older ones. Within a job, units whose lease has run out
    come first, then queued ones in the order of ``announce``: units that were announced to others
    come last. A unit whose lease has run out too often becomes ``failed``, and its job is closed if
    that was the last unit.

    The transaction writes; use one of its own. After ``lease_seconds`` without a heartbeat,
    LONGEST_LEASE at most, others may claim the unit. Jobs for other versions of the engine are
    skipped; with ``job_id``, all other jobs are.

    Returns:
        None if no unit can be claimed now; leases that others hold may still run out.
    """
    for job in _running_jobs(session, engine_version, job_id):
        again = _lapsed_again(session, job)
        if unit := _take_first(session, job, again):
            return _lease(session, unit, owner, lease_seconds)
    return None


def claim_unit(
    session: Session, unit_id: int, *, owner: str, lease_seconds: float, engine_version: int
) -> Claim | None:
    """Claim this unit if possible, as ``claim`` does. Waits for no other claimer.

    Returns:
        None if the unit is done, failed, leased by another worker or does not exist; or if its job
        does not run, or is for another version of the engine. The caller has nothing to do: a unit
        that is still open is announced again.
    """
    # A unit whose last allowed lease ran out is left to requeue_lapsed: giving it up may close its
    # job, and a job must be locked before its units.
    may_be_taken = or_(QUEUED, and_(lease_ran_out(session), may_lapse_again()))
    query = _claimable().where(Unit.id == unit_id, _runs(engine_version), may_be_taken)
    unit = session.connection().execute(query).one_or_none()
    return None if unit is None else _lease(session, unit, owner, lease_seconds)


def claim_next_piece(
    session: Session, job_id: int, *, owner: str, lease_seconds: float, engine_version: int
) -> Claim | None:
    """Claim the unit of a growing job that its planner has put first (``read_units``).

    A message about a unit of such a job allows one claim, of any of its units: between announcement
    and claim, results may change the payloads of units, or cut units off.

    Returns:
        None if no unit is queued, or the job does not run or is for another version of the engine.
    """
    query = (
        _claimable()
        .where(Unit.job_id == job_id, _runs(engine_version), QUEUED)
        .order_by(Unit.announced_at <= NEVER_ANNOUNCED, *IN_TURN)
        .limit(1)
    )
    unit = session.connection().execute(query).one_or_none()
    return None if unit is None else _lease(session, unit, owner, lease_seconds)


def job_of_unit(session: Session, unit_id: int) -> tuple[int, str] | None:
    """Return the number and the kind of a unit's job; None if the unit does not exist."""
    query = select(Job.id, Job.kind).join(Unit, Unit.job_id == Job.id).where(Unit.id == unit_id)
    row = session.execute(query).one_or_none()
    return None if row is None else (row.id, row.kind)


def _runs(engine_version: int) -> ColumnElement[bool]:
    return and_(Job.state == JobState.RUNNING, Job.engine_version == engine_version)


def _claimable() -> Select[Any]:
    """The query for the fields of a claim; it locks its units, and skips those already locked."""
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


def _running_jobs(session: Session, engine_version: int, job_id: int | None) -> Sequence[int]:
    query = select(Job.id).where(_runs(engine_version)).order_by(Job.priority.desc(), Job.id)
    if job_id is not None:
        query = query.where(Job.id == job_id)
    return session.scalars(query).all()


def _lapsed_again(session: Session, job_id: int) -> ColumnElement[bool] | None:
    """Units whose lease has run out and that may be retried; None if there are none.

    The others become failed. Call this before any unit is locked, because it locks the job.
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
    query = _claimable().where(Unit.job_id == job_id, condition)
    query = query.order_by(*order).limit(1)
    return session.connection().execute(query).one_or_none()


def _lease(session: Session, unit: Row[Any], owner: str, lease_seconds: float) -> Claim:
    """Lease a locked unit. If it was leased before, that lease counts as lapsed."""
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
        lapses=unit.lapses + lapsed,
    )


class _Turn(Enum):
    """The rule by which a job is chosen among the running jobs of the highest priority."""

    OLDEST = 0
    NEWEST = 1
    LEAST_BEGUN = 2


_turns = count()
"""Numbers this process's announcements, to rotate the rules."""

REANNOUNCE_SECONDS: Final = 5.0
"""A unit not claimed within this time after its announcement may be announced again."""


def announce(session: Session, *, engine_version: int, interactive: bool, limit: int) -> list[int]:
    """Mark at most ``limit`` units as announced; send their messages after the commit.

    Jobs of higher priority come first. Jobs of the same priority share the units. A third goes to
    the oldest job, so that it ends. A third goes to the newest job, so that it begins at once. A
    third goes to the job with the fewest announced units, so that none is left out.

    Within a job, units that were handed back or whose lease ran out come first; then units that
    were never announced, in order; then those announced longest ago.

    Any number of callers get different units and do not wait for each other. A unit is not chosen
    again within :data:`REANNOUNCE_SECONDS`, unless it was claimed and came back. All units belong
    to interactive jobs, or all to bulk jobs; see INTERACTIVE_PRIORITY.

    Returns:
        The units' numbers, in the order to announce them; empty if there is nothing to announce.
    """
    chosen: list[int] = []
    share = -(-limit // len(_Turn))
    missed = 0
    while len(chosen) < limit and missed < len(_Turn):
        turn = _Turn(next(_turns) % len(_Turn))
        job_id = _job(session, engine_version, interactive=interactive, turn=turn)
        if job_id is None:
            break
        units = _units(session, job_id, min(share, limit - len(chosen)))
        missed = 0 if units else missed + 1  # other transactions have them locked at this moment
        chosen += units
        session.connection().execute(
            update(Unit).where(Unit.id.in_(units)).values(announced_at=now(session))
        )
    return chosen


def take_back(session: Session, unit_ids: Sequence[int]) -> None:
    """Mark units as never announced, because their messages were not sent.

    Units that were claimed meanwhile do not change.
    """
    session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(unit_ids), QUEUED, Unit.announced_at > NEVER_ANNOUNCED)
        .values(announced_at=NEVER_ANNOUNCED)
    )


def _job(session: Session, engine_version: int, *, interactive: bool, turn: _Turn) -> int | None:
    """The job that the rule chooses among the jobs with a unit to announce."""
    may_be_announced = and_(Unit.job_id == Job.id, QUEUED, _may_be_announced(session))
    # The place of the first unit in the job shows how many were announced before it.
    place = first_unit(may_be_announced, *IN_TURN, what=Unit.seq).scalar_subquery()
    is_interactive = Job.priority >= INTERACTIVE_PRIORITY
    orders: dict[_Turn, tuple[ColumnExpressionArgument[Any], ...]] = {
        _Turn.OLDEST: (Job.id,),
        _Turn.NEWEST: (Job.id.desc(),),
        _Turn.LEAST_BEGUN: (place, Job.id),
    }
    query = (
        select(Job.id)
        .where(
            _runs(engine_version),
            is_interactive if interactive else ~is_interactive,
            place.is_not(None),
        )
        .order_by(Job.priority.desc(), *orders[turn])
        .limit(1)
    )
    return session.scalars(query).one_or_none()


def _units(session: Session, job_id: int, limit: int) -> Sequence[int]:
    """Lock the first units of a job that may be announced, except those locked already."""
    query = (
        select(Unit.id)
        .where(Unit.job_id == job_id, QUEUED, _may_be_announced(session))
        .order_by(*IN_TURN)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return session.scalars(query).all()


def _may_be_announced(session: Session) -> ColumnElement[bool]:
    at = now(session)
    return or_(
        Unit.announced_at < at - REANNOUNCE_SECONDS,
        # The clock was set back. A small difference does not count: another process may have
        # announced the unit since this statement began.
        Unit.announced_at > at + REANNOUNCE_SECONDS,
    )


def may_lapse_again() -> ColumnElement[bool]:
    """The condition that a unit is queued again after its lease has run out; else it fails."""
    return Unit.lapses + 1 < MAX_LAPSES


def requeue_lapsed(session: Session, *, limit: int = 1_000) -> int:
    """Queue units of running jobs whose leases ran out, and return their number.

    They are announced before all others. A unit whose last allowed lease ran out becomes ``failed``
    instead, and its job is closed if that was the last unit. Leases that ran out first come first.
    Callers never wait for each other. Use a transaction of its own.
    """
    overdue = now(session) - Unit.lease_until
    lapsed = (
        session.connection()
        .execute(
            select(Unit.id, Unit.job_id, Unit.lapses, overdue.label("overdue"))
            .join(Job, Unit.job_id == Job.id)
            .where(Job.state == JobState.RUNNING, lease_ran_out(session))
            .order_by(Unit.lease_until, Unit.id)
            .limit(limit)
        )
        .all()
    )
    if any(unit.overdue > FROZEN_SECONDS for unit in lapsed):
        _end_frozen(session)
    exhausted = {unit.job_id for unit in lapsed if unit.lapses + 1 >= MAX_LAPSES}
    for job_id in _in_order_of_claims(session, exhausted):
        give_up_lapsed(session, job_id)
    return _requeue(session, [unit.id for unit in lapsed if unit.lapses + 1 < MAX_LAPSES])


def give_up_lapsed(session: Session, job_id: int) -> None:
    """Fail the units of a job whose last allowed lease ran out; close the job if it is complete."""
    state = lock_job(session, job_id)
    exhausted = (Unit.job_id == job_id, lease_ran_out(session), ~may_lapse_again())
    lock_leased(session, *exhausted)
    session.connection().execute(
        update(Unit).where(*exhausted).values(state=UnitState.FAILED, error=_GIVEN_UP, **_LAPSED)
    )
    close_if_complete(session, job_id, state)


def _end_frozen(session: Session) -> None:
    """End the write transactions of frozen clients: one of them may keep an overdue unit locked.

    PostgreSQL itself ends a transaction that is idle, but not one whose client froze between two
    messages of one statement. (``statement_timeout`` does not interrupt that wait, and
    ``transaction_timeout`` is new in PostgreSQL 17.)
    """
    if session.connection().dialect.name == "postgresql":
        session.execute(_END_FROZEN, {"age": FROZEN_SECONDS})


def _in_order_of_claims(session: Session, job_ids: set[int]) -> Sequence[int]:
    # Several jobs are always locked in this order.
    if not job_ids:
        return ()
    query = select(Job.id).where(Job.id.in_(job_ids)).order_by(Job.priority.desc(), Job.id)
    return session.scalars(query).all()


def _requeue(session: Session, unit_ids: Sequence[int]) -> int:
    if not unit_ids:
        return 0
    # The condition is checked again: another worker may have claimed or completed them meanwhile.
    still_lapsed = (
        select(Unit.id)
        .where(Unit.id.in_(unit_ids), and_(lease_ran_out(session), may_lapse_again()))
        .with_for_update(skip_locked=True)
    )
    requeued = session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(still_lapsed))
        .values(state=UnitState.QUEUED, announced_at=ANNOUNCE_FIRST, **_LAPSED)
    )
    return requeued.rowcount
