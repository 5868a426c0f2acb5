"""Leases that ran out: their units go back to the queue, or are given up after MAX_LAPSES.

A worker's silence is not the unit's fault, so a lapse is counted instead of the attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, select, text, update

from db.clock import now
from db.jobs.changes import ANNOUNCE_FIRST, FREE
from db.jobs.conditions import lease_ran_out
from db.jobs.ending import close_if_complete, lock_job, lock_leased
from db.models import Job, Unit
from db.records.jobs import MAX_LAPSES, JobState, UnitState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

_GIVEN_UP: Final = f"lease expired {MAX_LAPSES} times"

FROZEN_SECONDS: Final = 30
"""A client that PostgreSQL has waited for so long within a transaction is frozen."""

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


def may_lapse_again() -> ColumnElement[bool]:
    """Whether a unit whose lease has run out goes back to the queue; otherwise it has failed."""
    return Unit.lapses + 1 < MAX_LAPSES


def requeue_lapsed(session: Session, *, limit: int = 1_000) -> int:
    """Queue the units of running jobs whose leases ran out, to be announced before all others.

    A unit whose last allowed lease ran out becomes ``failed`` instead, and its job is closed if
    that was the last unit. Callers never wait for each other.

    Args:
        session: in a write transaction of its own.
        limit: the number of leases at most; those that ran out first come first.

    Returns:
        The number of units that are queued again.
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
    """Fail the units of a job whose last allowed lease ran out; close it if nothing is left."""
    state = lock_job(session, job_id)
    exhausted = (Unit.job_id == job_id, lease_ran_out(session), ~may_lapse_again())
    lock_leased(session, *exhausted)
    session.connection().execute(
        update(Unit).where(*exhausted).values(state=UnitState.FAILED, error=_GIVEN_UP, **_LAPSED)
    )
    close_if_complete(session, job_id, state)


def _end_frozen(session: Session) -> None:
    """End the write transactions of frozen clients: one of them keeps an overdue unit locked.

    PostgreSQL itself ends a transaction that is idle, but not one whose client was frozen between
    two messages of one statement. (``statement_timeout`` does not interrupt that wait, and
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
    # The condition is checked again: somebody may have claimed or completed them meanwhile.
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
