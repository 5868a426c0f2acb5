"""Helpers that claim, complete and fail units by hand, as workers do."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, func, select, text
from sqlalchemy.orm import Session

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.jobs.control import finish_if_complete
from db.jobs.queue import Eligible, claim, complete, fail, requeue_expired
from db.jobs.watching import get_job
from db.models import Unit
from db.records.jobs import Claim, JobState, UnitState
from tests.support.running.databases import FakeClock, ask, do
from tests.support.running.waiting import await_that

LEASE = 30.0
ELIGIBLE = Eligible(ENGINE_VERSION)


def failed_units(session: Session, job_id: int) -> Sequence[Row[Any]]:
    query = select(Unit.id.label("unit_id"), Unit.seq, Unit.attempts, Unit.error)
    query = query.where(Unit.job_id == job_id, Unit.state == UnitState.FAILED)
    return session.execute(query.order_by(Unit.seq)).all()


def take(
    database: Database,
    eligible: Eligible = ELIGIBLE,
    *,
    owner: str = "ada",
    lease_seconds: float = LEASE,
) -> Claim | None:
    """Claim a unit, after the units with expired leases were queued again."""
    do(database, requeue_expired)
    return do(database, claim, eligible, owner=owner, lease_seconds=lease_seconds)


def of_job(job_id: int) -> Eligible:
    return Eligible(ENGINE_VERSION, job_ids=[job_id])


def must_take(database: Database, eligible: Eligible = ELIGIBLE, **options: Any) -> Claim:  # noqa: ANN401
    taken = take(database, eligible, **options)
    assert taken is not None
    return taken


def finish(database: Database, taken: Claim, **options: object) -> bool:
    defaults: dict[str, object] = {"evaluations": [], "result": None, "nodes": 5, "seconds": 0.5}
    done = do(database, complete, taken, **(defaults | options))
    do(database, finish_if_complete, taken.job_id)
    return done


def give_up(database: Database, taken: Claim, error: str = "broken") -> UnitState | None:
    state = do(database, fail, taken, error)
    do(database, finish_if_complete, taken.job_id)
    return state


def state_of(database: Database, job_id: int) -> JobState:
    return ask(database, get_job, job_id).state


def lease_end(database: Database) -> float:
    """The latest end of a lease, on the database's clock; 0 if there is no lease."""
    with database.read() as session:
        return session.scalar(select(func.max(Unit.lease_until))) or 0.0


def outlast_lease(database: Database, clock: FakeClock, lease_seconds: float) -> None:
    """Let more time pass than a lease lasts, in steps, with a heartbeat after each.

    The heartbeats may be delayed, but none is too late.
    """
    for _ in range(3):
        clock.time += 0.6 * lease_seconds
        await_that(lambda: lease_end(database) > clock.time + 0.6 * lease_seconds)


def unit_ids(database: Database, job_id: int) -> list[int]:
    query = select(Unit.id).where(Unit.job_id == job_id).order_by(Unit.seq)
    with database.read() as session:
        return list(session.scalars(query))


def waits_for_lock(database: Database) -> bool:
    """Whether a session of this PostgreSQL database waits for a lock."""
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    with database.read() as session:
        return session.scalar(waiting) > 0
