"""The register of worker processes. Each of them records heartbeats."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, case, delete, select

from db.clock import now, seen_within
from db.dialect_insert import dialect_insert
from db.models import Worker
from db.records.workers import WorkerInfo

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

WORKER_ALIVE_SECONDS: Final = 30.0
"""A worker without a heartbeat for so long counts as gone."""

_FORGET_SECONDS: Final = 86_400.0
"""Workers without a heartbeat for so long are deleted."""


def beat(session: Session, worker: WorkerInfo) -> None:
    """Record a worker's heartbeat, and what it has done.

    Call it more often than every WORKER_ALIVE_SECONDS. If a worker's process has changed, or its
    counts are smaller than before, it was started anew.

    Args:
        session: in a write transaction of its own.
        worker: as it is now.
    """
    values = asdict(worker) | {"started_at": now(session), "seen_at": now(session)}
    insert = dialect_insert(session, Worker).values(values)
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
    """The workers with a heartbeat within so many seconds, in order of their names."""
    is_live = seen_within(session, Worker.seen_at, within)
    query = select(Worker).where(is_live).order_by(Worker.name)
    return tuple(_info(worker) for worker in session.scalars(query))


def _forget(session: Session) -> None:
    # Rows that another worker is deleting at this moment are skipped, so that nobody waits.
    old = (
        select(Worker.name)
        .where(Worker.seen_at < now(session) - _FORGET_SECONDS)
        .with_for_update(skip_locked=True)
    )
    session.connection().execute(delete(Worker).where(Worker.name.in_(old)))


def _info(worker: Worker) -> WorkerInfo:
    return WorkerInfo(
        name=worker.name,
        host=worker.host,
        pid=worker.pid,
        threads=worker.threads,
        table_mb=worker.table_mb,
        version=worker.version,
        engine_version=worker.engine_version,
        queues=tuple(worker.queues),
        units_done=worker.units_done,
        positions_done=worker.positions_done,
        nodes=worker.nodes,
        seconds=worker.seconds,
        note=worker.note,
        started_at=worker.started_at,
        seen_at=worker.seen_at,
    )
