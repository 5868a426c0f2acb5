"""Conditions on units, written so that the partial indexes of :class:`db.models.Unit` apply.

The states are literals in the SQL: neither database knows that a parameter will be ``'queued'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, and_, literal_column, select

from db.clock import now
from db.models import Unit

if TYPE_CHECKING:
    from sqlalchemy import ColumnExpressionArgument, Select
    from sqlalchemy.orm import Session

QUEUED: Final[ColumnElement[bool]] = Unit.state == literal_column("'queued'")
LEASED: Final[ColumnElement[bool]] = Unit.state == literal_column("'leased'")
FAILED: Final[ColumnElement[bool]] = Unit.state == literal_column("'failed'")
DONE: Final[ColumnElement[bool]] = Unit.state == literal_column("'done'")
CANCELLED: Final[ColumnElement[bool]] = Unit.state == literal_column("'cancelled'")

IN_TURN: Final = (Unit.announced_at, Unit.seq)
"""The order of queued units: those that came back, those that were never announced, the others."""


def lease_ran_out(session: Session) -> ColumnElement[bool]:
    """Leased, and not heard of in time."""
    return and_(LEASED, Unit.lease_until < now(session))


def lease_lives(session: Session) -> ColumnElement[bool]:
    """Leased, and being worked on as far as can be known."""
    return and_(LEASED, Unit.lease_until >= now(session))


def has_open_unit(session: Session, job_id: int) -> bool:
    """Whether anything of a job is still to be done, or being done."""
    return _has_unit(session, job_id, QUEUED, *IN_TURN) or _has_unit(
        session, job_id, LEASED, Unit.lease_until
    )


def has_failed_unit(session: Session, job_id: int) -> bool:
    """Whether a unit of a job was given up."""
    return _has_unit(session, job_id, FAILED, Unit.seq)


def _has_unit(
    session: Session,
    job_id: int,
    condition: ColumnElement[bool],
    *order: ColumnExpressionArgument[Any],
) -> bool:
    return session.scalar(first_unit(condition, *order).where(Unit.job_id == job_id)) is not None


def first_unit(
    condition: ColumnElement[bool], *order: ColumnExpressionArgument[Any]
) -> Select[Any]:
    """The number of the first unit that meets a condition; for asking whether there is any.

    The first in an order, not EXISTS: that PostgreSQL answers by reading the table when it
    believes, from statistics of some minutes ago, that every second unit meets the condition.
    """
    return select(Unit.id).where(condition).order_by(*order).limit(1)
