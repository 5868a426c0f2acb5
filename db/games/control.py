"""Ending matches early, and deleting them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, delete, func, or_, select, update

from db.decoding import is_number
from db.errors import JobStateError, MatchInUseError, MatchNotFoundError
from db.jobs.state import (
    CANCELLED,
    DONE,
    FAILED,
    FREE,
    LEASED,
    QUEUED,
    close_if_complete,
    has_failed_unit,
    lock_job,
    lock_leased,
)
from db.models import CorpusMatch, Game, Job, Match, Unit
from db.records.jobs import JobState, UnitState

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from db.records.jobs import Json

NEEDLESS: Final[Json] = {"needless": True}
"""The result of a unit whose games are not needed any more.

The unit is done and not cancelled, so that nobody queues it again.
"""


class MatchUnit(NamedTuple):
    """A unit that plays some games of a match."""

    unit_id: int
    state: UnitState
    payload: Json
    result: Json | None


def end_early(session: Session, match_id: int, *, games: int, verdict: str) -> bool:
    """End a match that a sequential test has decided, and its job if nothing else is left to do.

    Units that are still to be played, or have failed, are marked as done. Other workers may have
    played games after the deciding one. These games are deleted: which of them exist depends on the
    workers, and a match must be the same whoever plays it. The caller sets the results of the units
    (:func:`units_of_match`, :func:`set_result`).

    Args:
        session: in a write transaction of its own.
        match_id: a match that a job plays.
        games: the number of games that the decision has taken; they are the first ones.
        verdict: what was decided.

    Returns:
        False if it was decided before; nothing was changed.

    Raises:
        MatchNotFoundError: there is none of this number.
    """
    job_id = session.scalar(select(Match.job_id).where(Match.id == match_id))
    state = None if job_id is None else lock_job(session, job_id)
    query = select(Match.verdict, Match.first_unit, Match.end_unit).where(Match.id == match_id)
    # Not a full FOR UPDATE: a writer of games holds the match's key, and the unit that we lock
    # next.
    row = session.connection().execute(query.with_for_update(key_share=True)).one_or_none()
    if row is None:
        raise MatchNotFoundError(match_id)
    if row.verdict is not None:
        return False
    connection = session.connection()
    connection.execute(update(Match).where(Match.id == match_id).values(verdict=verdict))
    # First the units: this waits for a worker that completes one now, so its games are seen below.
    if row.first_unit is not None:
        own = and_(Unit.job_id == job_id, Unit.seq >= row.first_unit, Unit.seq < row.end_unit)
        lock_leased(session, own)
        connection.execute(
            update(Unit)
            .where(own, or_(QUEUED, LEASED, FAILED))
            .values(state=UnitState.DONE, result=NEEDLESS, error=None, **FREE)
        )
    connection.execute(delete(Game).where(Game.match_id == match_id, Game.number >= games))
    if job_id is not None and state is not None:
        close_if_complete(session, job_id, state)
        _forgive(session, job_id, state)
    return True


def units_of_match(session: Session, match_id: int) -> list[MatchUnit]:
    """The units that play a match, in order; none if no job plays it."""
    query = (
        select(Unit.id, Unit.state, Unit.payload, Unit.result)
        .join(Match, Match.job_id == Unit.job_id)
        .where(Match.id == match_id, Unit.seq >= Match.first_unit, Unit.seq < Match.end_unit)
        .order_by(Unit.seq)
    )
    return [MatchUnit(*row) for row in session.execute(query)]


def set_result(session: Session, unit_id: int, result: Json) -> None:
    """Give a unit that is done another result.

    Args:
        session: in the transaction that has ended its match early.
        unit_id: the unit's number.
        result: its new result.
    """
    done = update(Unit).where(Unit.id == unit_id, DONE)
    session.connection().execute(done.values(result=result))


def delete_match(session: Session, match_id: int) -> None:
    """Delete a match and its games. Its job, if resumed or retried, goes on without this match.

    Args:
        session: in a write transaction of its own.
        match_id: any match.

    Raises:
        MatchNotFoundError: there is none of this number.
        JobStateError: it is being played.
        MatchInUseError: it is in the corpus of another match, which would play differently without
            it.
    """
    query = select(Match.job_id, Match.first_unit, Match.end_unit).where(Match.id == match_id)
    row = session.connection().execute(query).one_or_none() if is_number(match_id) else None
    if row is None:
        raise MatchNotFoundError(match_id)
    # The state is read under the lock: somebody may be about to resume the job.
    state = None if row.job_id is None else lock_job(session, row.job_id)
    if state in {JobState.PLANNING, JobState.RUNNING}:
        raise JobStateError(
            f"match {match_id} is being played by job {row.job_id}: cancel that first",
            job_id=row.job_id,
            state=state,
        )
    # This waits for a transaction that makes a match with this one in its corpus. The foreign key
    # would keep the match as well, but its error does not say which match needs it.
    held = select(Match.id).where(Match.id == match_id).with_for_update()
    if session.scalar(held) is None:
        raise MatchNotFoundError(match_id)
    users = select(func.max(CorpusMatch.match_id)).where(CorpusMatch.corpus_match_id == match_id)
    used_by = session.scalar(users)
    if used_by is not None:
        raise MatchInUseError(match_id, used_by)
    if state is not None:
        _do_without(session, row.job_id, state, row.first_unit, row.end_unit)
    session.connection().execute(delete(Game).where(Game.match_id == match_id))
    session.connection().execute(delete(Match).where(Match.id == match_id))


def _do_without(
    session: Session, job_id: int, state: JobState, first_unit: int | None, end_unit: int | None
) -> None:
    """End the units of a match in a locked job that does not run, so that nobody queues them."""
    if first_unit is None or end_unit is None:
        return
    own = and_(Unit.job_id == job_id, Unit.seq >= first_unit, Unit.seq < end_unit)
    session.connection().execute(
        update(Unit)
        .where(own, or_(CANCELLED, FAILED))
        .values(state=UnitState.DONE, result=NEEDLESS, error=None)
    )
    _forgive(session, job_id, state)


def _forgive(session: Session, job_id: int, state: JobState) -> None:
    """Mark a locked job as done if it has failed only by units that nobody needs now."""
    if state is JobState.FAILED and not has_failed_unit(session, job_id):
        session.connection().execute(
            update(Job).where(Job.id == job_id).values(state=JobState.DONE)
        )
