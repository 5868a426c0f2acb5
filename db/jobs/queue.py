"""The queue: claim units, keep their leases, complete them or hand them back.

A claim is a lease on the database's clock. It is fenced: every claim of a unit raises its
``fence``, and the holder of an older fence can change nothing. It therefore does no harm if a
worker comes back after its lease has expired.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, case, func, literal, or_, select, tuple_, update

from c4core.notation import BoardSize
from db.evaluations.storing import send
from db.jobs.control import (
    FREE,
    LEASED,
    QUEUED,
    first_open,
    first_unit,
    lease_ran_out,
    lock_job,
)
from db.models import Job, Unit
from db.records.jobs import (
    INTERACTIVE_PRIORITY,
    MAX_ATTEMPTS,
    MAX_LOST_ATTEMPTS,
    Claim,
    JobState,
    UnitState,
)
from db.sql import now, seen_within

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import ColumnElement, Row, ScalarSelect, Select
    from sqlalchemy.orm import Session

    from db.records.evaluations import StoredEvaluation
    from db.records.jobs import Json

_ERROR_LENGTH: Final = 2_000
"""Number of characters of an error that are kept."""

SEEN_SECONDS: Final = 2.0
"""The last sign of life of a job is not renewed more often than this."""

MOST_KNOWN: Final = 256
"""A worker remembers the fields of this many jobs; it may run for months."""

_LOST: Final = f"its worker was lost {MAX_LOST_ATTEMPTS} times"

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


def claim(
    session: Session,
    eligible: Eligible,
    *,
    owner: str,
    lease_seconds: float,
    known: dict[int, dict[str, Any]] | None = None,
) -> Claim | None:
    """Claim the most urgent unit. Any number of claimers get different units and do not wait.

    Jobs of higher priority come first. Jobs of the same priority share the claims (``_ORDERS``).
    Within a job, units come in their order. After ``lease_seconds`` without a heartbeat, others may
    get the unit.

    Args:
        session: in a write transaction.
        eligible: the jobs to choose from.
        owner: a name for users.
        lease_seconds: duration of the lease.
        known: fields of jobs that the caller has seen before; new ones are added, and it is emptied
            when it has MOST_KNOWN jobs.

    Returns:
        None if no unit is queued.
    """
    known = {} if known is None else known
    for order in random.sample(_ORDERS, len(_ORDERS)):
        unit = _lease(session, _first_job(eligible, order), owner, lease_seconds)
        if unit is not None:
            if unit.job_id not in known:
                if len(known) >= MOST_KNOWN:
                    known.clear()
                known[unit.job_id] = _fields_of_job(session, unit.job_id)
            return Claim(**unit._asdict(), **known[unit.job_id])
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
) -> Row[Any] | None:
    """Lease the first queued unit of a job that no other transaction has locked."""
    unit = first_unit(and_(Unit.job_id == job_id, QUEUED), Unit.seq)
    leased = (
        update(Unit)
        .where(Unit.id == unit.with_for_update(skip_locked=True).scalar_subquery())
        .values(
            state=UnitState.LEASED,
            fence=Unit.fence + 1,
            attempts=Unit.attempts + 1,
            owner=owner,
            lease_until=now(session) + lease_seconds,
        )
        .returning(
            Unit.id.label("unit_id"),
            Unit.job_id,
            Unit.seq,
            Unit.fence,
            Unit.attempts,
            Unit.payload,
            Unit.positions,
        )
    )
    return session.connection().execute(leased).one_or_none()


def _fields_of_job(session: Session, job_id: int) -> dict[str, Any]:
    query = select(Job.kind, Job.params, Job.width, Job.height, Job.priority)
    kind, params, width, height, priority = session.execute(query.where(Job.id == job_id)).one()
    board = BoardSize(width, height)
    return {"kind": kind, "params": params, "board": board, "priority": priority}


def is_queued(session: Session, eligible: Eligible) -> bool:
    """Return whether a unit waits for a claim."""
    return session.scalar(_queued_job(eligible)) is not None


def _queued_job(eligible: Eligible) -> Select[int]:
    return select(Job.id).where(eligible.condition(), _first_queued().is_not(None)).limit(1)


class Survey(NamedTuple):
    """The work that waits, at some moment."""

    has_expired: bool
    """Whether a lease has expired."""
    complete_job: int | None
    """A running job without an open unit, whose last worker died before it closed the job."""
    queued: list[bool]
    """Whether units are queued in each lane."""


def survey(session: Session, lanes: Sequence[Eligible]) -> Survey:
    """Return the work that waits, read by one statement."""
    expired = select(Unit.id).where(lease_ran_out(session)).limit(1)
    is_complete = and_(Job.state == JobState.RUNNING, first_open(Job.id).is_(None))
    complete = select(Job.id).where(is_complete).order_by(Job.id).limit(1)
    queries = (expired, complete, *map(_queued_job, lanes))
    found = session.execute(select(*(query.scalar_subquery() for query in queries))).one()
    expired_unit, complete_job, *queued = found
    return Survey(expired_unit is not None, complete_job, [job is not None for job in queued])


def requeue_expired(session: Session, *, limit: int = 1_000) -> int:
    """Queue units of running jobs whose lease has expired, and return their number.

    A unit becomes ``failed`` instead if this was its last attempt (MAX_LOST_ATTEMPTS). Callers
    never wait for each other. Use a transaction of its own; then close the jobs that are complete.
    """
    expired = (
        select(Unit.id)
        .where(lease_ran_out(session))
        .order_by(Unit.lease_until, Unit.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    is_last = Unit.attempts >= MAX_LOST_ATTEMPTS
    failed, queued = (
        literal(state, Unit.state.type) for state in (UnitState.FAILED, UnitState.QUEUED)
    )
    requeued = session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(expired))
        .values(
            state=case((is_last, failed), else_=queued),
            error=case((is_last, literal(_LOST, Unit.error.type)), else_=Unit.error),
            **FREE,
        )
    )
    return requeued.rowcount


def prolong(session: Session, claims: Sequence[Claim], lease_seconds: float) -> list[bool]:
    """Prolong leases by ``lease_seconds`` from now; return which claims still hold their units.

    This never waits. The lease of a unit that another transaction is writing keeps its end.
    """
    names = [(claim.unit_id, claim.fence) for claim in claims]
    ours = tuple_(Unit.id, Unit.fence).in_(names)
    free = select(Unit.id).where(LEASED, ours).with_for_update(skip_locked=True)
    prolonged = session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(free), LEASED)
        .values(lease_until=now(session) + lease_seconds)
        .returning(Unit.id, Unit.fence)
    )
    done = {(unit_id, fence) for unit_id, fence in prolonged}
    if len(done) == len(claims):
        return [True] * len(claims)
    held = are_held(session, claims)
    return [name in done or is_held for name, is_held in zip(names, held, strict=True)]


def are_held(session: Session, claims: Sequence[Claim]) -> list[bool]:
    """Return whether each claim still holds its unit. This only reads, and never waits."""
    ids = [claim.unit_id for claim in claims]
    found = session.execute(select(Unit.id, Unit.fence).where(Unit.id.in_(ids), LEASED))
    held = {(row.id, row.fence) for row in found}
    return [(claim.unit_id, claim.fence) in held for claim in claims]


def record_work(session: Session, job_ids: Collection[int]) -> None:
    """Record that a process works on these jobs. Waits for no other process."""
    is_old = or_(Job.seen_at.is_(None), ~seen_within(session, Job.seen_at, SEEN_SECONDS))
    old = (
        select(Job.id)
        .where(Job.id.in_(job_ids), is_old)
        .order_by(Job.id)
        .with_for_update(skip_locked=True)
    )
    session.connection().execute(update(Job).where(Job.id.in_(old)).values(seen_at=now(session)))


def complete(
    session: Session,
    claim: Claim,
    *,
    evaluations: Sequence[StoredEvaluation],
    result: Json | None,
    nodes: int,
    seconds: float,
    grows: bool = False,
) -> bool:
    """Store the results and mark the unit as done, both or neither.

    The evaluations are sent before the unit is locked, so a process that freezes while it sends
    them does not block others.

    Args:
        session: in a write transaction of its own.
        claim: the claim on the unit.
        evaluations: on the claim's board.
        result: kept with the unit, for the job's output.
        nodes: number of nodes searched for this unit.
        seconds: time spent on it.
        grows: lock the unit's job until the end of the transaction, as ``lock_job`` does.

    Returns:
        False, with nothing written, if another worker has the unit by now, or it was cancelled.

    Raises:
        ContradictionError: as ``store``. Let it end the transaction, then ``fail`` the unit.
    """
    merge = send(session, claim.board, evaluations)
    if grows:
        lock_job(session, claim.job_id)
    done = _change(
        session,
        claim,
        state=UnitState.DONE,
        result=result,
        error=None,
        nodes=nodes,
        seconds=seconds,
        finished_at=now(session),
        **FREE,
    )
    if done:
        merge()
    return done


def release(session: Session, claim: Claim, *, payload: Json | None = None) -> bool:
    """Hand the unit back: it is queued again, and the attempt does not count.

    ``payload`` replaces the unit's payload with the remaining work; None keeps it. Return False if
    the claim did not hold the unit any more.
    """
    return _change(
        session,
        claim,
        state=UnitState.QUEUED,
        attempts=claim.attempts - 1,
        **({} if payload is None else {"payload": payload}),
        **FREE,
    )


def fail(
    session: Session, claim: Claim, error: str, *, limit: int = MAX_ATTEMPTS
) -> UnitState | None:
    """Hand the unit back with an error: it is queued again, or ``failed`` at attempt ``limit``.

    Return its new state; None, with nothing written, if the claim did not hold the unit any more.
    """
    state = UnitState.FAILED if claim.attempts >= limit else UnitState.QUEUED
    is_ours = _change(session, claim, state=state, error=error[:_ERROR_LENGTH], **FREE)
    return state if is_ours else None


def _change(session: Session, claim: Claim, **values: object) -> bool:
    """Write to the unit if the claim still holds it."""
    changed = session.connection().execute(
        update(Unit)
        .where(Unit.id == claim.unit_id, Unit.fence == claim.fence, LEASED)
        .values(**values)
    )
    return changed.rowcount == 1
