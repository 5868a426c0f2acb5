"""Heartbeats of the processes that work on a job, and the bounds that they share.

- A long plan takes several transactions, and the planner may die between two of them. Each of these
  transactions therefore records a heartbeat in the job's row. A job in planning without a recent
  heartbeat is abandoned: units are missing, and no process will add them.
- A live lease shows that a worker is active on a running job. A process that works on one job only
  (:mod:`workers.runners.local`) does not always hold a lease, so it records heartbeats in the job's
  row as well. Workers that take units of any job are in the register (:mod:`db.registry`).
- Bounds of positions are shared packed as bytes. They are optional: a search without them takes
  longer and finds the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, insert, or_, select, update

from db.jobs.state import asks_for, is_abandoned, lease_lives, lock_job
from db.models import Job, SharedBounds, Unit
from db.records.jobs import JobState
from db.sql import now, seen_within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

RUNNER_ALIVE_SECONDS: Final = 10.0
"""A runner without a heartbeat for this long counts as gone: the duration of a lease."""

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
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(planner_seen_at=now(session))
    )


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
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(runner_seen_at=now(session))
    )


def clear_runner_heartbeat(session: Session, job_id: int) -> None:
    """Remove the heartbeat; other processes that run the job record theirs, or hold leases."""
    session.connection().execute(update(Job).where(Job.id == job_id).values(runner_seen_at=None))


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
        DamagedValueError: a parcel has changed since it was sent.
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
