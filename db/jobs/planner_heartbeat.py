"""Whether somebody still plans a job.

A long plan takes several transactions, and the planner may die between two of them. So each of
these transactions records a heartbeat in the job's row. A job that is being planned without a
recent heartbeat is abandoned: units are missing, and nobody will add them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, or_, select, update

from db.clock import now, seen_within
from db.jobs.conditions import asks_for
from db.models import Job
from db.records.jobs import JobState

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

PLANNER_ALIVE_SECONDS: Final = 60.0
"""After so long without a heartbeat, a planner counts as gone."""


class PlannedJob(NamedTuple):
    """A job that is being planned."""

    job_id: int
    is_abandoned: bool
    """Nobody plans it any more."""


def record_planner_heartbeat(session: Session, job_id: int) -> None:
    """Record that somebody plans a job now, and is going to add more units.

    Args:
        session: in a transaction that makes the job, or adds units, and does not start it.
        job_id: the job.
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
