"""Heartbeats of processes, their periodic duties, and the bounds that they share.

- A long plan takes several transactions, and the planner may die between two of them. Each of these
  transactions therefore records a heartbeat in the job's row. A job in planning without a recent
  heartbeat is abandoned: units are missing, and no process will add them.
- A live lease shows that a worker is active on a running job. A process that works on one job only
  (:mod:`workers.runners.local`) does not always hold a lease, so it records heartbeats in the job's
  row as well. A worker that takes units of any job has a row of its own in the register of workers.
- Many processes share a duty; each time one of them performs it.
- Bounds of positions are shared packed as bytes. They are optional: a search without them takes
  longer and finds the same.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, case, delete, insert, or_, select, update

from db.jobs.state import asks_for, is_abandoned, lease_lives, lock_job, update_job
from db.models import Duty, Job, SharedBounds, Unit, Worker
from db.records.jobs import JobState, WorkerInfo
from db.sql import dialect_of, insert_into, now, seen_within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

RUNNER_ALIVE_SECONDS: Final = 10.0
"""A runner without a heartbeat for this long counts as gone: the duration of a lease."""

WORKER_ALIVE_SECONDS: Final = 30.0
"""A worker without a heartbeat for this long counts as gone."""

_FORGET_SECONDS: Final = 86_400.0
"""Workers without a heartbeat for this long are deleted."""

PARCELS: Final = 16
"""Maximum number of parcels read at a time: it limits the memory of a process that joins late."""


class PlannedJob(NamedTuple):
    """A job that is being planned."""

    job_id: int
    is_abandoned: bool
    """Whether its planner is gone."""


def record_planner_heartbeat(session: Session, job_id: int) -> None:
    """Record that a process is planning a job now.

    Call it in a transaction that creates the job or adds units, and does not start it.
    """
    update_job(session, job_id, planner_seen_at=now(session))


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


def record_runner_heartbeat(session: Session, job_id: int) -> None:
    """Record that a process runs a job; call it more often than every RUNNER_ALIVE_SECONDS."""
    update_job(session, job_id, runner_seen_at=now(session))


def clear_runner_heartbeat(session: Session, job_id: int) -> None:
    """Remove the heartbeat; other processes that run the job record theirs, or hold leases."""
    update_job(session, job_id, runner_seen_at=None)


def attended_jobs(session: Session) -> set[int]:
    """Return the jobs with a live lease, and the running jobs with a recent heartbeat."""
    held = session.scalars(select(Unit.job_id).where(lease_lives(session)).distinct())
    seen = seen_within(session, Job.runner_seen_at, RUNNER_ALIVE_SECONDS)
    run = session.scalars(select(Job.id).where(Job.state == JobState.RUNNING, seen))
    return {*held, *run}


def begun_jobs(session: Session) -> set[int]:
    """Return the running jobs whose first unit was claimed at least once."""
    query = (
        select(Unit.job_id)
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, Unit.seq == 0, Unit.fence > 0)
    )
    return set(session.scalars(query))


def abandoned_jobs(session: Session) -> set[int]:
    """Return the jobs that are being planned, and whose planner is gone."""
    return set(session.scalars(select(Job.id).where(is_abandoned(session))))


def record_worker_heartbeat(session: Session, worker: WorkerInfo) -> None:
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
    _forget_silent_workers(session)


def remove_worker(session: Session, name: str) -> None:
    """Remove a worker that ends from the register."""
    session.connection().execute(delete(Worker).where(Worker.name == name))


def live_workers(session: Session) -> tuple[WorkerInfo, ...]:
    """Return the workers with a recent heartbeat, in order of their names."""
    is_live = seen_within(session, Worker.seen_at, WORKER_ALIVE_SECONDS)
    query = select(Worker).where(is_live).order_by(Worker.name)
    return tuple(_worker_info(worker) for worker in session.scalars(query))


def _forget_silent_workers(session: Session) -> None:
    # Rows that another worker is deleting at this moment are skipped, so that this never waits.
    old = (
        select(Worker.name)
        .where(Worker.seen_at < now(session) - _FORGET_SECONDS)
        .with_for_update(skip_locked=True)
    )
    session.connection().execute(delete(Worker).where(Worker.name.in_(old)))


def _worker_info(worker: Worker) -> WorkerInfo:
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


class BoundsPackage(NamedTuple):
    """A parcel: bounds that one process has sent together."""

    sender: int
    """A random number that identifies the sending process."""
    number: int
    """The parcel's place among the sender's parcels: later ones have higher numbers."""
    bounds: bytes
    """The bounds as the sender has packed them."""


def share_bounds(session: Session, job_id: int, parcel: BoundsPackage) -> bool:
    """Share the sender's next bounds; return False if the job does not run any more.

    Raises:
        JobNotFoundError: no job has this number.
    """
    if lock_job(session, job_id) is not JobState.RUNNING:
        return False
    session.connection().execute(insert(SharedBounds).values(job_id=job_id, **parcel._asdict()))
    return True


def new_parcels(session: Session, job_id: int, known: Mapping[int, int]) -> list[BoundsPackage]:
    """Return parcels of other processes: at most PARCELS; call again for the rest.

    ``known`` maps each known sender, the caller included, to the number of its next parcel.

    Raises:
        DamagedValueError: a parcel cannot be unpacked.
    """
    is_new = or_(
        SharedBounds.sender.not_in(known),
        *(
            and_(SharedBounds.sender == sender, SharedBounds.number >= number)
            for sender, number in known.items()
        ),
    )
    query = (
        select(SharedBounds.sender, SharedBounds.number, SharedBounds.bounds)
        .where(SharedBounds.job_id == job_id, is_new)
        .order_by(SharedBounds.sender, SharedBounds.number)
        .limit(PARCELS)
    )
    return [BoundsPackage(*row) for row in session.execute(query)]
