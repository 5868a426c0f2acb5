"""Choosing the units to announce next: a message to the workers says that they can be claimed.

A message may be lost, late, or delivered twice: the claim decides. So a unit that was announced
and that nobody has claimed for some time is announced again.
"""

from __future__ import annotations

from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, or_, select, update

from db.clock import now
from db.jobs.changes import NEVER_ANNOUNCED
from db.jobs.conditions import IN_TURN, QUEUED, first_unit
from db.models import Job, Unit
from db.records.jobs import INTERACTIVE_PRIORITY, JobState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, ColumnExpressionArgument
    from sqlalchemy.orm import Session


class _Turn(Enum):
    """Whose turn it is among the running jobs of the highest priority."""

    OLDEST = 0
    NEWEST = 1
    LEAST_BEGUN = 2


_turns = count()
"""Numbers of announcements of this process, for their turns."""

REANNOUNCE_SECONDS: Final = 5.0
"""A unit that nobody has claimed for so long after its announcement may be announced again."""


def announce(session: Session, *, engine_version: int, interactive: bool, limit: int) -> list[int]:
    """Choose units and mark them as announced; send the messages after the commit.

    Jobs of higher priority come first. Jobs of the same priority take turns: a third of the units
    is the oldest job's, so that it ends; a third is the newest job's, so that it begins at once; a
    third goes to the job of which the least was announced, so that none is left out.

    Within a job, units come first that were handed back or whose lease ran out; then those that
    were never announced, in order; then those whose announcement is the oldest.

    Any number of callers get different units and do not wait for each other. A unit is not chosen
    again within :data:`REANNOUNCE_SECONDS`, unless it was claimed and came back.

    Args:
        session: in a write transaction.
        engine_version: only units of jobs for this version of the engine.
        interactive: units of interactive jobs, else of bulk jobs; see INTERACTIVE_PRIORITY.
        limit: at most so many.

    Returns:
        The units' numbers, in the order to announce them; empty when there is nothing to do.
    """
    chosen: list[int] = []
    share = -(-limit // len(_Turn))
    missed = 0
    while len(chosen) < limit and missed < len(_Turn):
        turn = _Turn(next(_turns) % len(_Turn))
        job_id = _job(session, engine_version, interactive=interactive, turn=turn)
        if job_id is None:
            break
        units = _units(session, job_id, min(share, limit - len(chosen)))
        missed = 0 if units else missed + 1  # others have locked them at this moment
        chosen += units
        session.connection().execute(
            update(Unit).where(Unit.id.in_(units)).values(announced_at=now(session))
        )
    return chosen


def take_back(session: Session, unit_ids: Sequence[int]) -> None:
    """Count units as never announced, because their messages were not sent.

    Args:
        session: in a write transaction.
        unit_ids: as :func:`announce` gave them; those that were claimed meanwhile do not change.
    """
    session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(unit_ids), QUEUED, Unit.announced_at > NEVER_ANNOUNCED)
        .values(announced_at=NEVER_ANNOUNCED)
    )


def _job(session: Session, engine_version: int, *, interactive: bool, turn: _Turn) -> int | None:
    """The job whose turn it is, of those that have a unit to announce."""
    may_be_announced = and_(Unit.job_id == Job.id, QUEUED, _may_be_announced(session))
    # The place of the first unit in the job tells how many were announced before it.
    place = first_unit(may_be_announced, *IN_TURN, what=Unit.seq).scalar_subquery()
    is_interactive = Job.priority >= INTERACTIVE_PRIORITY
    orders: dict[_Turn, tuple[ColumnExpressionArgument[Any], ...]] = {
        _Turn.OLDEST: (Job.id,),
        _Turn.NEWEST: (Job.id.desc(),),
        _Turn.LEAST_BEGUN: (place, Job.id),
    }
    query = (
        select(Job.id)
        .where(
            Job.state == JobState.RUNNING,
            Job.engine_version == engine_version,
            is_interactive if interactive else ~is_interactive,
            place.is_not(None),
        )
        .order_by(Job.priority.desc(), *orders[turn])
        .limit(1)
    )
    return session.scalars(query).one_or_none()


def _units(session: Session, job_id: int, limit: int) -> Sequence[int]:
    """Lock the first units of a job that may be announced and that nobody else has locked."""
    query = (
        select(Unit.id)
        .where(Unit.job_id == job_id, QUEUED, _may_be_announced(session))
        .order_by(*IN_TURN)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return session.scalars(query).all()


def _may_be_announced(session: Session) -> ColumnElement[bool]:
    at = now(session)
    return or_(
        Unit.announced_at < at - REANNOUNCE_SECONDS,
        # The clock was set back. A small difference does not count: another process may have
        # announced the unit since this statement began.
        Unit.announced_at > at + REANNOUNCE_SECONDS,
    )
