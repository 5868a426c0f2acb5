"""Matches: making them, and looking at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert, literal, or_, select, update

from db.clock import now
from db.decoding import decoding, is_number
from db.errors import MatchNotFoundError
from db.games.tallies import read_tallies
from db.models import CorpusMatch, Job, Match
from db.records.jobs import JobState
from db.records.matches import MatchInfo, MatchTally, Origin
from db.records.terms import MatchTerms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Row, Select
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize


_LISTED: Final = 500
"""Matches in one query: both databases limit the number of parameters."""


def create_match(
    session: Session,
    terms: MatchTerms,
    *,
    origin: Origin = Origin.PLAYED,
    job_id: int | None = None,
    label: str | None = None,
) -> int:
    """Make a match without games. That of an import is not whole until :func:`end_import`.

    Args:
        session: in a write transaction.
        terms: what is agreed.
        origin: where its games are to come from.
        job_id: the job that plays it.
        label: a name for people.

    Returns:
        The match's number.

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
    """Record which matches a match looks up; from now on nobody can delete them."""
    for first in range(0, len(corpus), _LISTED):
        some = corpus[first : first + _LISTED]
        # The same lock as the foreign key's, but earlier: this waits for a transaction that
        # deletes one of them, and the error then has the number of the match.
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
    """Record which units of its job play a match: from ``first`` to before ``end``."""
    session.connection().execute(
        update(Match).where(Match.id == match_id).values(first_unit=first, end_unit=end)
    )


def end_import(session: Session, match_id: int, terms: MatchTerms) -> None:
    """Mark an import as whole; its ``terms`` have the number of its games."""
    session.connection().execute(
        update(Match).where(Match.id == match_id).values(terms=terms.as_json(), is_whole=True)
    )


def get_match(session: Session, match_id: int) -> MatchInfo:
    """Everything about one match.

    Raises:
        MatchNotFoundError: there is none of this number.
    """
    found = _infos(session, _matches().where(Match.id == match_id)) if is_number(match_id) else []
    if not found:
        raise MatchNotFoundError(match_id)
    return found[0]


def get_terms(session: Session, match_id: int) -> MatchTerms:
    """The terms of a match, without reading its games.

    Raises:
        MatchNotFoundError: there is none of this number.
    """
    query = select(Match.terms).where(Match.id == match_id)
    terms = session.scalar(query) if is_number(match_id) else None
    if terms is None:
        raise MatchNotFoundError(match_id)
    with _decoding(match_id):
        return MatchTerms.from_json(terms)


def get_created_at(session: Session, match_id: int) -> float | None:
    """When a match was made; None if there is none of this number (any more).

    Number and time together identify a match for good. The number alone does not: SQLite may reuse
    that of a deleted match.
    """
    return session.scalar(select(Match.created_at).where(Match.id == match_id))


def get_verdict(session: Session, match_id: int) -> str | None:
    """The decision of a match's sequential test; None while it is open, or without a test."""
    return session.scalar(select(Match.verdict).where(Match.id == match_id))


def list_matches(
    session: Session, *, limit: int = 50, before_id: int | None = None
) -> list[MatchInfo]:
    """The newest matches, newest first.

    Args:
        session: any.
        limit: at most so many.
        before_id: only matches older than this one, for paging.
    """
    query = _matches().order_by(Match.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(Match.id < before_id)
    return _infos(session, query)


def matches_of_job(session: Session, job_id: int) -> list[MatchInfo]:
    """The matches that a job plays, in the order in which they were planned."""
    return _infos(session, _matches().where(Match.job_id == job_id).order_by(Match.id))


def finished_matches(session: Session, board: BoardSize) -> tuple[int, ...]:
    """The matches on a board that will get no more games; ascending."""
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
    with _decoding(row.id):
        origin, terms = Origin(row.origin), MatchTerms.from_json(row.terms)
    return MatchInfo(
        id=row.id,
        origin=origin,
        job_id=row.job_id,
        label=row.label,
        terms=terms,
        created_at=row.created_at,
        verdict=row.verdict,
        is_whole=row.is_whole,
        job_state=row.job_state,
        tally=tally,
    )


def _decoding(match_id: int) -> AbstractContextManager[None]:
    return decoding(f"what was agreed for match {match_id}")
