"""Signs of life: of jobs, in their rows, and of workers, in the register.

- A process that plans a job records it in each of its transactions. A job in planning without a
  recent sign of life is abandoned: units are missing, and no process will add them.
- A process that works on a job records it while it holds leases.
- A worker that takes units of any job has a row in the register.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, case, delete, or_, select, update

from db.jobs.state import asks_for, is_abandoned, update_job
from db.models import Job, Worker
from db.records.jobs import JobState, WorkerInfo
from db.sql import dialect_of, insert_into, now, seen_within

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

WORKER_ALIVE_SECONDS: Final = 30.0
"""A worker without a heartbeat for this long counts as gone."""

_FORGET_SECONDS: Final = 86_400.0
"""Workers without a heartbeat for this long are deleted."""

_SEEN_SECONDS: Final = 2.0
"""A job's sign of life is not renewed more often than this."""


class PlannedJob(NamedTuple):
    """A job that is being planned."""

    job_id: int
    is_abandoned: bool
    """Whether its planner is gone."""


def record_planning(session: Session, job_id: int) -> None:
    """Record that a process is planning a job now.

    Call it in a transaction that creates the job or adds units, and does not start it.
    """
    update_job(session, job_id, seen_at=now(session))


def planned_job(
    session: Session, *, kind: str, board: BoardSize, params: Json, engine_version: int
) -> PlannedJob | None:
    """Return the newest job that asks exactly this question and is being planned, or None.

    The arguments are as in ``newest_job``.
    """
    query = (
        select(Job.id, is_abandoned(session))
        .where(
            asks_for(kind, board=board, params=params, engine_version=engine_version),
            Job.state == JobState.PLANNING,
        )
        .order_by(Job.id.desc())
        .limit(1)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else PlannedJob(row[0], bool(row[1]))


def record_work(session: Session, job_ids: Collection[int]) -> None:
    """Record that a process works on these jobs. Waits for no other process."""
    is_old = or_(Job.seen_at.is_(None), ~seen_within(session, Job.seen_at, _SEEN_SECONDS))
    old = (
        select(Job.id)
        .where(Job.id.in_(job_ids), is_old)
        .order_by(Job.id)
        .with_for_update(skip_locked=True)
    )
    session.connection().execute(update(Job).where(Job.id.in_(old)).values(seen_at=now(session)))


def record_worker(session: Session, worker: WorkerInfo) -> None:
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


def remove_worker(session: Session, name: str) -> None:
    """Remove a worker that ends from the register, and workers that were silent for a day."""
    # Rows that another worker is deleting at this moment are skipped, so that this never waits.
    gone = (
        select(Worker.name)
        .where(or_(Worker.name == name, Worker.seen_at < now(session) - _FORGET_SECONDS))
        .with_for_update(skip_locked=True)
    )
    session.connection().execute(delete(Worker).where(Worker.name.in_(gone)))


def live_workers(session: Session) -> tuple[WorkerInfo, ...]:
    """Return the workers with a recent heartbeat, in order of their names."""
    is_live = seen_within(session, Worker.seen_at, WORKER_ALIVE_SECONDS)
    query = select(Worker).where(is_live).order_by(Worker.name)
    return tuple(_worker_info(worker) for worker in session.scalars(query))


def _worker_info(worker: Worker) -> WorkerInfo:
    values = {field.name: getattr(worker, field.name) for field in fields(WorkerInfo)}
    return WorkerInfo(**values | {"queues": tuple(worker.queues)})
