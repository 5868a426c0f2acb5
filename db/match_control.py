"""Ending matches before their time, and forgetting them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, or_, select, update

from db.errors import JobStateError, MatchNotFoundError
from db.job_ending import close_if_complete, lock_job
from db.job_records import JobState, UnitState
from db.models import Game, Job, Match, Unit
from db.types import is_number
from db.unit_changes import FREE
from db.unit_conditions import LEASED, QUEUED

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from db.job_records import Json

NEEDLESS: Final[Json] = {"needless": True}
"""The result of a unit whose games were not needed any more. It is done and not cancelled: nobody
is to queue it again."""


def end_early(session: Session, match_id: int, *, games: int, verdict: str) -> bool:
    """End a match that a sequential test has decided; its job if that has nothing else to do.

    Units that are still to be played are done without. Games behind the one that decided, which
    other workers have played meanwhile, are taken away: which they are depends on the workers, and
    the match is to be the same whoever plays it.

    Args:
        session: in a write transaction of its own.
        match_id: a match that a job plays.
        games: how many games the decision has taken, the first ones.
        verdict: what was decided.

    Returns:
        False: it was decided before, and nothing was changed.

    Raises:
        MatchNotFoundError: there is none of this number.
    """
    job_id = session.scalar(select(Match.job_id).where(Match.id == match_id))
    state = None if job_id is None else lock_job(session, job_id)
    query = select(Match.verdict, Match.first_unit, Match.end_unit).where(Match.id == match_id)
    # Not FOR UPDATE in full: whoever stores games holds the match's key, and a unit we want next.
    row = session.connection().execute(query.with_for_update(key_share=True)).one_or_none()
    if row is None:
        raise MatchNotFoundError(match_id)
    if row.verdict is not None:
        return False
    connection = session.connection()
    connection.execute(update(Match).where(Match.id == match_id).values(verdict=verdict))
    # The units first: who completes one at this moment is waited for, and its games are seen below.
    if row.first_unit is not None:
        own = and_(Unit.job_id == job_id, Unit.seq >= row.first_unit, Unit.seq < row.end_unit)
        connection.execute(
            update(Unit)
            .where(own, or_(QUEUED, LEASED))
            .values(state=UnitState.DONE, result=NEEDLESS, error=None, **FREE)
        )
    connection.execute(delete(Game).where(Game.match_id == match_id, Game.number >= games))
    if job_id is not None and state is not None:
        close_if_complete(session, job_id, state)
    return True


def delete_match(session: Session, match_id: int) -> None:
    """Forget a match and its games.

    Raises:
        MatchNotFoundError: there is none of this number.
        JobStateError: it is being played.
    """
    query = (
        select(Match.job_id, Job.state)
        .outerjoin(Job, Match.job_id == Job.id)
        .where(Match.id == match_id)
    )
    row = session.connection().execute(query).one_or_none() if is_number(match_id) else None
    if row is None:
        raise MatchNotFoundError(match_id)
    if row.state in {JobState.PLANNING, JobState.RUNNING}:
        raise JobStateError(
            f"match {match_id} is being played by job {row.job_id}: cancel that first",
            job_id=row.job_id,
            state=row.state,
        )
    session.connection().execute(delete(Game).where(Game.match_id == match_id))
    session.connection().execute(delete(Match).where(Match.id == match_id))
