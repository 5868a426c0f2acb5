"""Create, read, end and delete matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, delete, func, insert, literal, or_, select, update

from db.errors import JobStateError, MatchInUseError, MatchNotFoundError
from db.games.storing import MOST_MATCHES, read_tallies
from db.jobs.control import (
    CANCELLED,
    DONE,
    FAILED,
    FREE,
    LEASED,
    QUEUED,
    close_if_complete,
    has_failed_unit,
    lock_job,
    update_job,
)
from db.models import CorpusMatch, Game, Job, Match, Unit
from db.records.jobs import JobState, UnitState
from db.records.matches import MatchInfo, MatchTally, MatchTerms, Origin
from db.sql import is_number, now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row, Select
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json

NOT_NEEDED: Final[Json] = {"needless": True}
"""The result of a unit whose games are not needed; it is done, so that it is not queued again."""


def create_match(
    session: Session,
    terms: MatchTerms,
    *,
    origin: Origin = Origin.PLAYED,
    job_id: int | None = None,
    label: str | None = None,
) -> int:
    """Create a match without games; return its number. :func:`end_import` completes an import.

    Raises:
        MatchNotFoundError: a match of its corpus does not exist (any more).
    """
    statement = insert(Match).values(
        job_id=job_id,
        origin=origin.value,
        label=label,
        player_a=terms.player_a,
        player_b=terms.player_b,
        width=terms.board.width,
        height=terms.board.height,
        terms=terms.as_json(),
        is_whole=origin is Origin.PLAYED,
        created_at=now(session),
    )
    match_id = session.connection().execute(statement.returning(Match.id)).scalar_one()
    _add_corpus(session, match_id, terms.corpus)
    return match_id


def _add_corpus(session: Session, match_id: int, corpus: Sequence[int]) -> None:
    """Record which matches a match looks up; from now on they cannot be deleted."""
    for first in range(0, len(corpus), MOST_MATCHES):
        some = corpus[first : first + MOST_MATCHES]
        # The same lock as the foreign key's, but earlier: this waits for a transaction that deletes
        # one of them, so the error can name the match.
        there = (
            select(literal(match_id), Match.id)
            .where(Match.id.in_(some), Match.id != match_id)
            .order_by(Match.id)
            .with_for_update(read=True, key_share=True)
        )
        rows = insert(CorpusMatch).from_select(["match_id", "corpus_match_id"], there)
        added = set(session.scalars(rows.returning(CorpusMatch.corpus_match_id)))
        missing = [number for number in some if number not in added]
        if missing:
            raise MatchNotFoundError(missing[0])


def set_units(session: Session, match_id: int, first: int, end: int) -> None:
    """Record which units of its job play a match: from ``first`` up to ``end`` - 1."""
    session.connection().execute(
        update(Match).where(Match.id == match_id).values(first_unit=first, end_unit=end)
    )


def end_import(session: Session, match_id: int, terms: MatchTerms) -> None:
    """Mark an import as complete; its ``terms`` contain the number of its games."""
    session.connection().execute(
        update(Match).where(Match.id == match_id).values(terms=terms.as_json(), is_whole=True)
    )


def find_import(session: Session, terms: MatchTerms, label: str) -> int | None:
    """Return the newest import that can take another game; it stays locked until the commit.

    It has this label, these players in any order and this start. Imports that other matches look up
    take no more games.
    """
    pair = (terms.player_a, terms.player_b)
    query = (
        select(Match.id, Match.terms)
        .where(
            Match.origin == Origin.IMPORTED.value,
            Match.is_whole,
            Match.label == label,
            or_(
                *(
                    and_(Match.player_a == one, Match.player_b == other)
                    for one, other in (pair, pair[::-1])
                )
            ),
            Match.id.not_in(select(CorpusMatch.corpus_match_id)),
        )
        .order_by(Match.id.desc())
        .with_for_update(of=Match)
    )
    for match_id, fields in session.execute(query):
        if MatchTerms.from_json(fields).start == terms.start:
            return int(match_id)
    return None


def get_match(session: Session, match_id: int) -> MatchInfo:
    """Return all information about one match.

    Raises:
        MatchNotFoundError: no match has this number.
    """
    found = _infos(session, _matches().where(Match.id == match_id)) if is_number(match_id) else []
    if not found:
        raise MatchNotFoundError(match_id)
    return found[0]


def get_terms(session: Session, match_id: int) -> MatchTerms:
    """Return the terms of a match, without reading its games.

    Raises:
        MatchNotFoundError: no match has this number.
    """
    query = select(Match.terms).where(Match.id == match_id)
    terms = session.scalar(query) if is_number(match_id) else None
    if terms is None:
        raise MatchNotFoundError(match_id)
    return MatchTerms.from_json(terms)


def get_created_at(session: Session, match_id: int) -> float | None:
    """Return the time at which a match was created; None if no match has this number (any more).

    Number and time together identify a match permanently. The number alone does not: SQLite may
    reuse the number of a deleted match.
    """
    return session.scalar(select(Match.created_at).where(Match.id == match_id))


def get_verdict(session: Session, match_id: int) -> str | None:
    """Return the decision of a match's sequential test; None while it is open or if it has none."""
    return session.scalar(select(Match.verdict).where(Match.id == match_id))


def list_matches(
    session: Session, *, limit: int = 50, before_id: int | None = None
) -> list[MatchInfo]:
    """Return the newest matches, newest first; with ``before_id``, only those older than it."""
    query = _matches().order_by(Match.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(Match.id < before_id)
    return _infos(session, query)


def matches_of_job(session: Session, job_id: int) -> list[MatchInfo]:
    """Return the matches that a job plays, in the order in which they were planned."""
    return _infos(session, _matches().where(Match.job_id == job_id).order_by(Match.id))


def finished_matches(session: Session, board: BoardSize) -> tuple[int, ...]:
    """Return the matches on a board that will get no more games; ascending."""
    query = (
        select(Match.id)
        .outerjoin(Job, Match.job_id == Job.id)
        .where(
            Match.width == board.width,
            Match.height == board.height,
            Match.is_whole,
            or_(Match.origin == Origin.IMPORTED.value, Job.state == JobState.DONE),
        )
        .order_by(Match.id)
    )
    return tuple(session.scalars(query))


def _matches() -> Select[Any]:
    return select(
        Match.id,
        Match.origin,
        Match.job_id,
        Match.label,
        Match.terms,
        Match.created_at,
        Match.verdict,
        Match.is_whole,
        Job.state.label("job_state"),
    ).outerjoin(Job, Match.job_id == Job.id)


def _infos(session: Session, query: Select[Any]) -> list[MatchInfo]:
    rows: Sequence[Row[Any]] = session.connection().execute(query).all()
    tallies = read_tallies(session, [row.id for row in rows])
    return [_info(row, tallies.get(row.id, MatchTally())) for row in rows]


def _info(row: Row[Any], tally: MatchTally) -> MatchInfo:
    origin, terms = Origin(row.origin), MatchTerms.from_json(row.terms)
    values = row._asdict() | {"origin": origin, "terms": terms, "tally": tally}
    return MatchInfo(**values)


def end_early(session: Session, match_id: int, *, games: int, verdict: str) -> bool:
    """End a match that a sequential test has decided, and its job if no other work is left.

    The decision is based on the first ``games`` games. Units that are still to be played, or have
    failed, are marked as done. Other workers may have played games after the deciding one. These
    games are deleted, because their number depends on the workers, and the result of a match must
    not. The caller sets the results of the units (:func:`units_of_match`, :func:`set_result`). Use
    a transaction of its own. Return False, with nothing changed, if the match is already decided.

    Raises:
        MatchNotFoundError: no match has this number.
    """
    job_id = session.scalar(select(Match.job_id).where(Match.id == match_id))
    state = None if job_id is None else lock_job(session, job_id)
    query = select(Match.verdict, Match.first_unit, Match.end_unit).where(Match.id == match_id)
    # Not a full FOR UPDATE: a writer of games holds the match's key, and the unit that is locked
    # next.
    row = session.connection().execute(query.with_for_update(key_share=True)).one_or_none()
    if row is None:
        raise MatchNotFoundError(match_id)
    if row.verdict is not None:
        return False
    connection = session.connection()
    connection.execute(update(Match).where(Match.id == match_id).values(verdict=verdict))
    # Units first: this waits for a worker that completes one, so its games are seen below.
    if row.first_unit is not None:
        own = and_(Unit.job_id == job_id, Unit.seq >= row.first_unit, Unit.seq < row.end_unit)
        connection.execute(
            update(Unit)
            .where(own, or_(QUEUED, LEASED, FAILED))
            .values(state=UnitState.DONE, result=NOT_NEEDED, error=None, **FREE)
        )
    connection.execute(delete(Game).where(Game.match_id == match_id, Game.number >= games))
    if job_id is not None and state is not None:
        close_if_complete(session, job_id, state)
        _forgive(session, job_id, state)
    return True


def units_of_match(
    session: Session, match_id: int
) -> Sequence[Row[tuple[int, UnitState, Json, Json | None]]]:
    """Return the units that play a match, in order; none if no job plays it."""
    query = (
        select(Unit.id.label("unit_id"), Unit.state, Unit.payload, Unit.result)
        .join(Match, Match.job_id == Unit.job_id)
        .where(Match.id == match_id, Unit.seq >= Match.first_unit, Unit.seq < Match.end_unit)
        .order_by(Unit.seq)
    )
    return session.execute(query).all()


def set_result(session: Session, unit_id: int, result: Json) -> None:
    """Replace the result of a unit that is done, after its match has ended early."""
    done = update(Unit).where(Unit.id == unit_id, DONE)
    session.connection().execute(done.values(result=result))


def delete_match(session: Session, match_id: int) -> None:
    """Delete a match and its games, in a transaction of its own.

    If its job is resumed or retried, the job goes on without this match.

    Raises:
        MatchNotFoundError: no match has this number.
        JobStateError: the match is being played.
        MatchInUseError: the match is in the corpus of another match, which would play differently
            without it.
    """
    query = select(Match.job_id, Match.first_unit, Match.end_unit).where(Match.id == match_id)
    row = session.connection().execute(query).one_or_none() if is_number(match_id) else None
    if row is None:
        raise MatchNotFoundError(match_id)
    # The state is read under the lock: another process may be about to resume the job.
    state = None if row.job_id is None else lock_job(session, row.job_id)
    if state in {JobState.PLANNING, JobState.RUNNING}:
        raise JobStateError(
            f"match {match_id} is being played by job {row.job_id}: cancel the job first",
            job_id=row.job_id,
            state=state,
        )
    # This waits for a transaction that creates a match with this one in its corpus. The foreign key
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
    """End the units of a match in a locked job that does not run, so that they are not queued."""
    if first_unit is None or end_unit is None:
        return
    own = and_(Unit.job_id == job_id, Unit.seq >= first_unit, Unit.seq < end_unit)
    session.connection().execute(
        update(Unit)
        .where(own, or_(CANCELLED, FAILED))
        .values(state=UnitState.DONE, result=NOT_NEEDED, error=None)
    )
    _forgive(session, job_id, state)


def _forgive(session: Session, job_id: int, state: JobState) -> None:
    """Mark a failed, locked job as done if its only failed units are no longer needed."""
    if state is JobState.FAILED and not has_failed_unit(session, job_id):
        update_job(session, job_id, state=JobState.DONE)
