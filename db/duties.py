"""Taking turns: of many processes that share a periodic duty, one does it each time.

And leaving word: somebody is still at something, until nothing was heard for a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, or_, select, update

from db.clock import now
from db.dialect_insert import dialect_insert
from db.models import Turn

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def leave_word(session: Session, name: str) -> None:
    """Say that somebody is at something now.

    Args:
        session: in a write transaction.
        name: of what somebody is at.
    """
    word = dialect_insert(session, Turn).values(name=name, taken_at=now(session))
    session.connection().execute(
        word.on_conflict_do_update(
            index_elements=["name"], set_={"taken_at": word.excluded.taken_at}
        )
    )


def take_back(session: Session, name: str) -> None:
    """Take back the word that somebody is at something."""
    session.connection().execute(delete(Turn).where(Turn.name == name))


def was_heard(session: Session, within: float) -> ColumnElement[bool]:
    """A condition on words: left within so many seconds."""
    at = now(session)
    # Nor later than now, for the clock may have been set back.
    return Turn.taken_at.between(at - within, at + within)


def take_turn(session: Session, name: str, every_seconds: float) -> bool:
    """Whether the duty falls to the caller now; then to nobody else for ``every_seconds``.

    Never waits for others. Whoever takes the turn and dies has had it: the next one comes in time.

    Args:
        session: in a write transaction of its own, so that the turn is known to all at once.
        name: of the duty.
        every_seconds: the time from one turn to the next, on the database's clock.
    """
    is_due = or_(
        Turn.taken_at <= now(session) - every_seconds,
        Turn.taken_at > now(session),  # the clock was set back
    )
    due = select(Turn.name).where(Turn.name == name, is_due).with_for_update(skip_locked=True)
    take = update(Turn).where(Turn.name.in_(due)).values(taken_at=now(session))
    if session.connection().execute(take).rowcount == 1:
        return True
    if session.scalar(select(Turn.name).where(Turn.name == name)) is not None:
        return False
    # The first time ever. Not tried before it is known to be: an insert waits for whoever is
    # updating the row.
    first = dialect_insert(session, Turn).values(name=name, taken_at=now(session))
    return session.scalar(first.on_conflict_do_nothing().returning(Turn.name)) is not None
