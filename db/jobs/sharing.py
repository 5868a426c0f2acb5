"""What the processes at work on a job tell each other: that they are alive, and what they found.

- A long plan takes several transactions, and the planner may die between two of them. So each of
  these transactions records a heartbeat in the job's row. A job that is being planned without a
  recent heartbeat is abandoned: units are missing, and nobody will add them.
- A live lease shows that somebody works on a running job. A process that works on one job and
  nothing else (:mod:`workers.runners.local`) does not hold a lease at every moment, so it records
  heartbeats in the job's row as well. Workers that take units of any job are in the register
  (:mod:`db.registry`).
- Bounds of positions are shared packed as bytes. Nobody depends on them: a search that lacks them
  takes longer, and finds the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, insert, or_, select, update

from db.jobs.state import asks_for, lease_lives, lock_job
from db.models import Job, SharedBounds, Unit
from db.records.jobs import JobState
from db.sql import now, seen_within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

PLANNER_ALIVE_SECONDS: Final = 60.0
"""After so long without a heartbeat, a planner counts as gone."""

RUNNER_ALIVE_SECONDS: Final = 10.0
"""After so long without a heartbeat, nobody runs the job any more: as long as a lease."""

PARCELS: Final = 16
"""Parcels that are read at a time, so that a reader that comes late needs little memory."""


class PlannedJob(NamedTuple):
    """A job that is being planned."""

    job_id: int
    is_abandoned: bool
    """Nobody plans it any more."""


def record_planner_heartbeat(session: Session, job_id: int) -> None:
    """Record that somebody plans a job now.

    The transaction makes the job, or adds units, and does not start it.
    """
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(planner_seen_at=now(session))
    )


def is_abandoned(session: Session) -> ColumnElement[bool]:
    """A condition on jobs: the job is being planned, and its planner is gone."""
    is_gone = or_(
        Job.planner_seen_at.is_(None),
        ~seen_within(session, Job.planner_seen_at, PLANNER_ALIVE_SECONDS),
    )
    return and_(Job.state == JobState.PLANNING, is_gone)


def planned_job(
    session: Session, *, kind: str, board: BoardSize, params: Json, engine_version: int
) -> PlannedJob | None:
    """The newest job that asks for exactly this and is being planned, or None.

    Arguments as of ``newest_job``.
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
    """Record that a process runs a job now; call it more often than every RUNNER_ALIVE_SECONDS."""
    session.connection().execute(
        update(Job).where(Job.id == job_id).values(runner_seen_at=now(session))
    )


def clear_runner_heartbeat(session: Session, job_id: int) -> None:
    """Remove the heartbeat; other processes that run the job record theirs, or hold leases."""
    session.connection().execute(update(Job).where(Job.id == job_id).values(runner_seen_at=None))


def attended_jobs(session: Session) -> set[int]:
    """The jobs of which somebody holds a lease, or that run and have had a heartbeat lately."""
    held = session.scalars(select(Unit.job_id).where(lease_lives(session)).distinct())
    seen = seen_within(session, Job.runner_seen_at, RUNNER_ALIVE_SECONDS)
    run = session.scalars(select(Job.id).where(Job.state == JobState.RUNNING, seen))
    return {*held, *run}


def begun_jobs(session: Session) -> set[int]:
    """The running jobs of which at least one unit was ever claimed."""
    query = (
        select(Unit.job_id)
        .join(Job, Unit.job_id == Job.id)
        .where(Job.state == JobState.RUNNING, Unit.seq == 0, Unit.fence > 0)
    )
    return set(session.scalars(query))


def abandoned_jobs(session: Session) -> set[int]:
    """The jobs that are being planned, and whose planner is gone."""
    return set(session.scalars(select(Job.id).where(is_abandoned(session))))


class Parcel(NamedTuple):
    """Bounds that one process has shared at one time."""

    sender: int
    """The process, by a number that it has chosen at random."""
    number: int
    """Which of its parcels this is: later ones have higher numbers."""
    bounds: bytes
    """As the sender has packed them."""


def send_parcel(session: Session, job_id: int, parcel: Parcel) -> bool:
    """Share the sender's next bounds with the others that work on a job.

    Returns:
        False, with nothing written: the job does not run any more.

    Raises:
        JobNotFoundError: there is no such job.
    """
    if lock_job(session, job_id) is not JobState.RUNNING:
        return False
    session.connection().execute(insert(SharedBounds).values(job_id=job_id, **parcel._asdict()))
    return True


def new_parcels(session: Session, job_id: int, known: Mapping[int, int]) -> list[Parcel]:
    """What others have shared since the last time: PARCELS at most, the rest the next time.

    ``known`` has the next number of every sender that is known, the caller's own included.

    Raises:
        DamagedValueError: a parcel is not what was sent.
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
    return [Parcel(*row) for row in session.execute(query)]
