"""Claim the most urgent unit, and queue units again whose lease has expired.

A claim is a lease on the database's clock. It is fenced: every claim of a unit raises its
``fence``, and the holder of an older fence can change nothing. It therefore does no harm if a
worker comes back after its lease has expired.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, case, func, literal, select, text, update

from c4core.notation import BoardSize
from db.jobs.state import FREE, QUEUED, first_open, first_unit, lease_end, lease_ran_out
from db.models import Job, Unit
from db.records.jobs import (
    INTERACTIVE_PRIORITY,
    MAX_LOST_ATTEMPTS,
    Claim,
    JobState,
    UnitState,
)
from db.sql import now

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import ColumnElement, ScalarSelect
    from sqlalchemy.orm import Session

    from db.records.jobs import Json

_LOST: Final = f"its worker was lost {MAX_LOST_ATTEMPTS} times"

FROZEN_SECONDS: Final = 30
"""A client is frozen if PostgreSQL has waited this long for it within a transaction."""

_END_FROZEN: Final = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND usename = current_user AND wait_event = 'ClientRead' "
    "AND backend_xid IS NOT NULL AND state_change < clock_timestamp() - make_interval(secs => :age)"
)
# A transaction that only reads has no xid.

_ORDERS: Final[tuple[ColumnElement[Any], ...]] = (
    Job.id.expression,
    Job.id.desc(),
    func.random(),
)
"""Jobs of the same priority share the workers. A third of the claims goes to the oldest job, so
that it ends; a third to the newest, so that it begins at once; a third to any of them, so that none
is left out."""


@dataclass(frozen=True, slots=True)
class Eligible:
    """The jobs from which a worker may claim units."""

    engine_version: int
    """Only jobs for this version of the engine."""
    job_ids: Collection[int] | None = None
    """Only these jobs; None for all."""
    interactive: bool | None = None
    """Only jobs of INTERACTIVE_PRIORITY or more, or only the others; None for both."""
    skipped: Collection[int] = ()
    """Jobs to leave to other workers."""

    def condition(self) -> ColumnElement[bool]:
        """The condition that a job is running and eligible."""
        found = [Job.state == JobState.RUNNING, Job.engine_version == self.engine_version]
        if self.job_ids is not None:
            found.append(Job.id.in_(self.job_ids))
        if self.interactive is not None:
            is_interactive = Job.priority >= INTERACTIVE_PRIORITY
            found.append(is_interactive if self.interactive else ~is_interactive)
        if self.skipped:
            found.append(Job.id.not_in(self.skipped))
        return and_(*found)


class JobTerms(NamedTuple):
    """The fields of a job that all claims on its units share."""

    kind: str
    params: Json
    board: BoardSize
    engine_version: int
    priority: int


def claim(
    session: Session,
    eligible: Eligible,
    *,
    owner: str,
    lease_seconds: float,
    known: dict[int, JobTerms] | None = None,
) -> Claim | None:
    """Claim the most urgent unit. Any number of claimers get different units and do not wait.

    Jobs of higher priority come first. Jobs of the same priority share the claims (``_ORDERS``).
    Within a job, units come in their order. After ``lease_seconds`` without a heartbeat,
    LONGEST_LEASE at most, others may get the unit.

    Args:
        session: in a write transaction.
        eligible: the jobs to choose from.
        owner: a name for users.
        lease_seconds: duration of the lease.
        known: terms of jobs that the caller has seen before; new ones are added.

    Returns:
        None if no unit is queued.
    """
    for order in random.sample(_ORDERS, len(_ORDERS)):
        found = _lease(session, _first_job(eligible, order), owner, lease_seconds)
        if found is not None:
            unit_id, job_id, seq, fence, attempts, payload, positions = found
            terms = _terms(session, job_id, {} if known is None else known)
            return Claim(
                unit_id=unit_id,
                job_id=job_id,
                seq=seq,
                fence=fence,
                attempts=attempts,
                payload=payload,
                positions=positions,
                lease_seconds=lease_seconds,
                owner=owner,
                **terms._asdict(),
            )
        if not is_queued(session, eligible):
            return None
    return None  # at this moment, others claim the units that were left


def _first_job(eligible: Eligible, order: ColumnElement[Any]) -> ScalarSelect[int]:
    """The number of the first job with a queued unit."""
    return (
        select(Job.id)
        .where(eligible.condition(), _first_queued().is_not(None))
        .order_by(Job.priority.desc(), order)
        .limit(1)
        .scalar_subquery()
    )


def _first_queued() -> ColumnElement[int | None]:
    return first_unit(and_(Unit.job_id == Job.id, QUEUED), Unit.seq).scalar_subquery()


def _lease(
    session: Session, job_id: ScalarSelect[int], owner: str, lease_seconds: float
) -> Sequence[Any] | None:
    """Lease the first queued unit of a job that no other transaction has locked."""
    unit = (
        select(Unit.id)
        .where(Unit.job_id == job_id, QUEUED)
        .order_by(Unit.seq)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    leased = (
        update(Unit)
        .where(Unit.id == unit)
        .values(
            state=UnitState.LEASED,
            fence=Unit.fence + 1,
            attempts=Unit.attempts + 1,
            owner=owner,
            lease_until=lease_end(session, lease_seconds),
        )
        .returning(
            Unit.id,
            Unit.job_id,
            Unit.seq,
            Unit.fence,
            Unit.attempts,
            Unit.payload,
            Unit.positions,
        )
    )
    return session.connection().execute(leased).one_or_none()


def _terms(session: Session, job_id: int, known: dict[int, JobTerms]) -> JobTerms:
    if job_id not in known:
        query = select(
            Job.kind, Job.params, Job.width, Job.height, Job.engine_version, Job.priority
        ).where(Job.id == job_id)
        kind, params, width, height, engine_version, priority = session.execute(query).one()
        known[job_id] = JobTerms(kind, params, BoardSize(width, height), engine_version, priority)
    return known[job_id]


def is_queued(session: Session, eligible: Eligible) -> bool:
    """Return whether a unit waits for a claim."""
    query = select(Job.id).where(eligible.condition(), _first_queued().is_not(None)).limit(1)
    return session.scalar(query) is not None


class Survey(NamedTuple):
    """The work that waits, at some moment."""

    has_expired: bool
    """Whether a lease has expired."""
    complete_job: int | None
    """A running job without an open unit, whose last worker died before it closed the job."""
    is_interactive: bool
    """Whether an interactive unit is queued."""
    is_bulk: bool
    """Whether another unit is queued."""


def survey(session: Session, interactive: Eligible, bulk: Eligible) -> Survey:
    """Return the work that waits, read by one statement."""
    expired = (
        select(Unit.id)
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, lease_ran_out(session))
        .limit(1)
    )
    complete = (
        select(Job.id)
        .where(Job.state == JobState.RUNNING, first_open(Job.id).is_(None))
        .order_by(Job.id)
        .limit(1)
    )
    queued = (
        select(Job.id).where(eligible.condition(), _first_queued().is_not(None)).limit(1)
        for eligible in (interactive, bulk)
    )
    columns = (query.scalar_subquery() for query in (expired, complete, *queued))
    has_expired, complete_job, first_interactive, first_bulk = session.execute(
        select(*columns)
    ).one()
    return Survey(
        has_expired is not None, complete_job, first_interactive is not None, first_bulk is not None
    )


def requeue_expired(session: Session, *, limit: int = 1_000) -> int:
    """Queue units of running jobs whose lease has expired, and return their number.

    A unit becomes ``failed`` instead if this was its last attempt (MAX_LOST_ATTEMPTS). Callers
    never wait for each other. Use a transaction of its own; then close the jobs that are complete.
    """
    overdue = now(session) - Unit.lease_until
    expired = (
        select(Unit.id, overdue.label("overdue"))
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, lease_ran_out(session))
        .order_by(Unit.lease_until, Unit.id)
        .limit(limit)
    )
    units = session.connection().execute(expired).all()
    if not units:
        return 0
    if max(unit.overdue for unit in units) > FROZEN_SECONDS:
        _end_frozen(session)
    # The condition is checked again: another worker may have completed a unit meanwhile.
    still_expired = (
        select(Unit.id)
        .where(Unit.id.in_([unit.id for unit in units]), lease_ran_out(session))
        .with_for_update(skip_locked=True)
    )
    is_last = Unit.attempts >= MAX_LOST_ATTEMPTS
    failed, queued = (
        literal(state, Unit.state.type) for state in (UnitState.FAILED, UnitState.QUEUED)
    )
    requeued = session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(still_expired))
        .values(
            state=case((is_last, failed), else_=queued),
            error=case((is_last, literal(_LOST, Unit.error.type)), else_=Unit.error),
            **FREE,
        )
    )
    return requeued.rowcount


def _end_frozen(session: Session) -> None:
    """End the write transactions of frozen clients: one of them may keep an overdue unit locked.

    PostgreSQL itself ends a transaction that is idle, but not one whose client froze between two
    messages of one statement. (``statement_timeout`` does not interrupt that wait, and
    ``transaction_timeout`` is new in PostgreSQL 17.)
    """
    if session.connection().dialect.name == "postgresql":
        session.execute(_END_FROZEN, {"age": FROZEN_SECONDS})
