"""Choosing the units to announce next: a message to the workers says that they can be claimed.

A message may be lost, late, or delivered twice: the claim decides. So a unit that was announced
and that nobody has claimed for some time is announced again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, or_, select, update

from db.clock import now
from db.jobs.changes import NEVER_ANNOUNCED
from db.jobs.conditions import IN_TURN, QUEUED, first_unit
from db.models import Job, Unit
from db.records.jobs import INTERACTIVE_PRIORITY, JobState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

REANNOUNCE_SECONDS: Final = 5.0
"""A unit that nobody has claimed for so long after its announcement may be announced again."""


def announce(session: Session, *, engine_version: int, interactive: bool, limit: int) -> list[int]:
    """Choose units and mark them as announced; send the messages after the commit.

    Jobs of higher priority come first, then older ones. Within a job, units come first that were
    handed back or whose lease ran out; then those that were never announced, in order; then those
    whose announcement is the oldest.

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
    if limit <= 0:
        return []
    chosen: list[int] = []
    for job_id in _jobs(session, engine_version, interactive=interactive, limit=limit):
        chosen += _units(session, job_id, limit - len(chosen))
        if len(chosen) == limit:
            break
    if chosen:
        session.connection().execute(
            update(Unit).where(Unit.id.in_(chosen)).values(announced_at=now(session))
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


def _jobs(session: Session, engine_version: int, *, interactive: bool, limit: int) -> Sequence[int]:
    """Running jobs that have a unit to announce, the first first."""
    may_be_announced = and_(Unit.job_id == Job.id, QUEUED, _may_be_announced(session))
    unit = first_unit(may_be_announced, *IN_TURN).scalar_subquery()
    is_interactive = Job.priority >= INTERACTIVE_PRIORITY
    query = (
        select(Job.id)
        .where(
            Job.state == JobState.RUNNING,
            Job.engine_version == engine_version,
            is_interactive if interactive else ~is_interactive,
            unit.is_not(None),
        )
        .order_by(Job.priority.desc(), Job.id)
        .limit(limit)
    )
    return session.scalars(query).all()


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
