"""Register of worker processes with their heartbeats, and their periodic duties.

Many processes share a duty; each time one of them performs it.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, case, delete, or_, select, update

from db.models import Duty, Worker
from db.records.jobs import WorkerInfo
from db.sql import dialect_of, insert_into, now, seen_within

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

WORKER_ALIVE_SECONDS: Final = 30.0
"""A worker without a heartbeat for this long counts as gone."""

_FORGET_SECONDS: Final = 86_400.0
"""Workers without a heartbeat for this long are deleted."""


def beat(session: Session, worker: WorkerInfo) -> None:
    """Record a worker's heartbeat and its counts, in a transaction of its own.

    Call it more often than every WORKER_ALIVE_SECONDS. If a worker's process has changed, or its
    counts are smaller than before, it counts as restarted.
    """
    values = asdict(worker) | {"started_at": now(session), "seen_at": now(session)}
    insert = insert_into(dialect_of(session), Worker).values(values)
    new = insert.excluded
    goes_on = and_(
        Worker.host == new.host, Worker.pid == new.pid, Worker.units_done <= new.units_done
    )
    updates: dict[str, ColumnElement[Any]] = {name: new[name] for name in values if name != "name"}
    updates["started_at"] = case((goes_on, Worker.started_at), else_=new.started_at)
    session.connection().execute(
        insert.on_conflict_do_update(index_elements=["name"], set_=updates)
    )
    _forget(session)


def leave(session: Session, name: str) -> None:
    """Delete the entry of a worker that ends."""
    session.connection().execute(delete(Worker).where(Worker.name == name))


def live_workers(session: Session, within: float = WORKER_ALIVE_SECONDS) -> tuple[WorkerInfo, ...]:
    """Return the workers with a heartbeat within this many seconds, in order of their names."""
    is_live = seen_within(session, Worker.seen_at, within)
    query = select(Worker).where(is_live).order_by(Worker.name)
    return tuple(_info(worker) for worker in session.scalars(query))


def _forget(session: Session) -> None:
    # Rows that another worker is deleting at this moment are skipped, so that this never waits.
    old = (
        select(Worker.name)
        .where(Worker.seen_at < now(session) - _FORGET_SECONDS)
        .with_for_update(skip_locked=True)
    )
    session.connection().execute(delete(Worker).where(Worker.name.in_(old)))


def _info(worker: Worker) -> WorkerInfo:
    values = {field.name: getattr(worker, field.name) for field in fields(WorkerInfo)}
    return WorkerInfo(**values | {"queues": tuple(worker.queues)})


def acquire_duty(session: Session, name: str, every_seconds: float) -> bool:
    """Acquire a duty if it is due; no other process can then acquire it for ``every_seconds``.

    Never waits for others. If the caller dies before it has performed the duty, this turn is lost,
    and the next one comes as usual. Use a transaction of its own, so that all others see it at
    once.
    """
    is_due = or_(
        Duty.acquired_at <= now(session) - every_seconds,
        Duty.acquired_at > now(session),  # the clock was set back
    )
    due = select(Duty.name).where(Duty.name == name, is_due).with_for_update(skip_locked=True)
    acquire = update(Duty).where(Duty.name.in_(due)).values(acquired_at=now(session))
    if session.connection().execute(acquire).rowcount == 1:
        return True
    if session.scalar(select(Duty.name).where(Duty.name == name)) is not None:
        return False
    # The first turn ever. The insert comes last: it waits for a transaction that updates the row.
    first = insert_into(dialect_of(session), Duty).values(name=name, acquired_at=now(session))
    return session.scalar(first.on_conflict_do_nothing().returning(Duty.name)) is not None
