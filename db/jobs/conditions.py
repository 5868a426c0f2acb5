"""Conditions on jobs and units.

Those on units are written so that the partial indexes of :class:`db.models.Unit` apply. Their
states are literals in the SQL: neither database knows that a parameter will be ``'queued'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, and_, func, literal_column, or_, select

from db.clock import now
from db.models import Job, Unit
from db.records.jobs import LONGEST_LEASE

if TYPE_CHECKING:
    from sqlalchemy import ColumnExpressionArgument, Select
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

QUEUED: Final[ColumnElement[bool]] = Unit.state == literal_column("'queued'")
LEASED: Final[ColumnElement[bool]] = Unit.state == literal_column("'leased'")
FAILED: Final[ColumnElement[bool]] = Unit.state == literal_column("'failed'")
DONE: Final[ColumnElement[bool]] = Unit.state == literal_column("'done'")
CANCELLED: Final[ColumnElement[bool]] = Unit.state == literal_column("'cancelled'")

IN_TURN: Final = (Unit.announced_at, Unit.seq)
"""The order of queued units: first those that came back, then those never announced, then
others."""


def asks_for(
    kind: str, *, board: BoardSize, params: Json, engine_version: int
) -> ColumnElement[bool]:
    """The job is of this kind and asks for exactly this; all as it was given to ``create_job``."""
    return and_(
        Job.kind == kind,
        Job.width == board.width,
        Job.height == board.height,
        Job.params == params,
        Job.engine_version == engine_version,
    )


def lease_ran_out(session: Session) -> ColumnElement[bool]:
    """The unit is leased, and its lease has run out."""
    at = now(session)
    return and_(LEASED, or_(Unit.lease_until < at, Unit.lease_until > at + LONGEST_LEASE))


def lease_lives(session: Session) -> ColumnElement[bool]:
    """The unit is leased, and its lease has not run out."""
    at = now(session)
    return and_(LEASED, Unit.lease_until >= at, Unit.lease_until <= at + LONGEST_LEASE)


def lease_end(session: Session, seconds: float) -> ColumnElement[float]:
    """The end of a lease that is given or prolonged now."""
    return now(session) + min(seconds, LONGEST_LEASE)


def has_open_unit(session: Session, job_id: int) -> bool:
    """Whether a job has a unit that is queued or leased."""
    # One statement: between two, a unit may go from leased to queued, and be missed by both.
    queued, leased = (
        first_unit(and_(condition, Unit.job_id == job_id), *order).scalar_subquery()
        for condition, order in ((QUEUED, IN_TURN), (LEASED, (Unit.lease_until,)))
    )
    return session.scalar(select(func.coalesce(queued, leased))) is not None


def has_failed_unit(session: Session, job_id: int) -> bool:
    """Whether a unit of a job was given up."""
    failed = first_unit(and_(FAILED, Unit.job_id == job_id), Unit.seq)
    return session.scalar(failed) is not None


def first_unit(
    condition: ColumnElement[bool],
    *order: ColumnExpressionArgument[Any],
    what: InstrumentedAttribute[int] = Unit.id,
) -> Select[Any]:
    """The number of the first unit that meets a condition, to ask whether there is any.

    Args:
        condition: on the unit.
        order: tells which one is the first.
        what: a column to select instead of the number.

    The first in an order, not EXISTS: PostgreSQL answers EXISTS by reading the table, if statistics
    of some minutes ago let it expect that every second unit meets the condition.
    """
    return select(what).where(condition).order_by(*order).limit(1)
