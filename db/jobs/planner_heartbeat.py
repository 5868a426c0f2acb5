"""Whether somebody is still at the planning of a job.

A long plan is made in several transactions, and whoever makes it may die between two of them. So a
planner leaves word with each of them; a job that is being planned and of which nothing was heard
for a while is abandoned: it has not all its units, and will never have them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import Text, and_, cast, exists, literal, select

from db import duties
from db.models import Job, Turn
from db.records.jobs import JobState

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

PLANNER_ALIVE_SECONDS: Final = 60.0
"""A planner that was not heard of for so long is not expected to come back."""

_PREFIX: Final = "planning."
"""Of the name under which a planner leaves word, before the number of the job."""


class PlannedJob(NamedTuple):
    """A job that is being planned."""

    job_id: int
    is_abandoned: bool
    """Nobody is at it any more."""


def leave_word(session: Session, job_id: int) -> None:
    """Say that somebody is at the planning of a job, and is going to add more units.

    Args:
        session: in a transaction that makes the job, or adds units, and does not start it.
        job_id: the job.
    """
    duties.leave_word(session, f"{_PREFIX}{job_id}")


def forget_planner(session: Session, job_id: int) -> None:
    """Take back what was said about the planning of a job that has ended."""
    duties.take_back(session, f"{_PREFIX}{job_id}")


def is_abandoned(session: Session) -> ColumnElement[bool]:
    """A condition on jobs: being planned, and nobody is at it any more."""
    word = exists().where(
        Turn.name == literal(_PREFIX) + cast(Job.id, Text),
        duties.was_heard(session, PLANNER_ALIVE_SECONDS),
    )
    return and_(Job.state == JobState.PLANNING, ~word)


def planned_job(
    session: Session, *, kind: str, board: BoardSize, params: Json, engine_version: int
) -> PlannedJob | None:
    """The newest job that asks for exactly this and is being planned, or None.

    Arguments as of ``newest_job``.
    """
    query = (
        select(Job.id, is_abandoned(session))
        .where(
            Job.kind == kind,
            Job.width == board.width,
            Job.height == board.height,
            Job.params == params,
            Job.engine_version == engine_version,
            Job.state == JobState.PLANNING,
        )
        .order_by(Job.id.desc())
        .limit(1)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else PlannedJob(row[0], bool(row[1]))
