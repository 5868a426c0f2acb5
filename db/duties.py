"""Periodic duties: many processes share one, and each time a single process does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import or_, select, update

from db.clock import now
from db.dialect_insert import dialect_insert
from db.models import Duty

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def acquire_duty(session: Session, name: str, every_seconds: float) -> bool:
    """Whether the caller acquires the duty; nobody else can then do so for ``every_seconds``.

    Never waits for others. If the caller dies before it has done the duty, this turn is lost, and
    the next one comes as usual.

    Args:
        session: in a write transaction of its own, so that all others know at once.
        name: of the duty.
        every_seconds: the time from one turn to the next, on the database's clock.
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
    # The very first turn. The insert comes last: it waits for a transaction that updates the row.
    first = dialect_insert(session, Duty).values(name=name, acquired_at=now(session))
    return session.scalar(first.on_conflict_do_nothing().returning(Duty.name)) is not None
