"""The integrity check of matches: is any game missing, or against the rules?"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select
from sqlalchemy.exc import DBAPIError, PendingRollbackError

from c4core.errors import C4Error
from c4core.notation import parse_moves
from c4core.position import Position
from db.games.matches import get_terms
from db.games.storing import stream_games
from db.models import CorpusMatch, Game, Job, Match
from db.records.games import ON_THE_BOARD, UNFINISHED, GameFilter
from db.records.jobs import JobState
from db.records.matches import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from db.records.games import StoredGame


def match_faults(session: Session) -> Iterator[str]:
    """Say what is wrong with matches and their games."""
    numbers = {row[0]: row[1] for row in session.execute(_finished())}
    for match_id, is_whole in session.execute(
        select(Match.id, Match.is_whole).order_by(Match.id)
    ).all():
        if not is_whole:
            yield f"match {match_id}: its import is under way, or was interrupted"
        try:
            yield from _match_faults(session, match_id, numbers.get(match_id))
        except Exception as error:
            if _is_the_databases(error):
                raise
            # Any error that a row causes is a fault of the row.
            yield f"match {match_id} cannot be read to the end: {error}"


def _is_the_databases(error: Exception) -> bool:
    """Whether the error is not about a row, for instance a lost connection."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, PendingRollbackError)
    # SQLite's driver reports one fault of a row without a code: a text that is not UTF-8.
    is_a_text = isinstance(error.orig, sqlite3.Error) and not hasattr(
        error.orig, "sqlite_errorcode"
    )
    return not is_a_text


def _match_faults(session: Session, match_id: int, number: int | None) -> Iterator[str]:
    """The faults of one match. ``number`` counts its games, if none may be missing."""
    terms = get_terms(session, match_id)
    if number is not None and number != terms.games:
        yield f"match {match_id} is over, but has {number:,} of its {terms.games:,} games"
    corpus = select(CorpusMatch.corpus_match_id).where(CorpusMatch.match_id == match_id)
    if set(session.scalars(corpus)) != set(terms.corpus):
        yield f"match {match_id}: its terms and table corpus_matches name different matches"
    for game in stream_games(session, GameFilter(matches=(match_id,))):
        fault = _fault(game, terms.start)
        if fault is not None:
            yield f"game {match_id}:{game.number}: {fault}"


def _finished() -> Select[int, int]:
    """The matches that must have all their games, and how many they have."""
    return (
        select(Match.id, func.count(Game.number))
        .outerjoin(Job, Match.job_id == Job.id)
        .outerjoin(Game, Game.match_id == Match.id)
        .where(
            Match.is_whole,
            Match.verdict.is_(None),
            or_(Match.origin == Origin.IMPORTED.value, Job.state == JobState.DONE),
        )
        .group_by(Match.id)
        .order_by(Match.id)
    )


def _fault(game: StoredGame, start: Position) -> str | None:
    """What contradicts the rules in a stored game, if anything."""
    try:
        if game.moves is None:
            final = Position.from_key(game.final_key, width=start.width, height=start.height)
        else:
            final = start
            for column in parse_moves(game.moves, width=start.width):
                final = final.play(column)
    except C4Error as error:
        return str(error)
    if final.key != game.final_key:
        return "its moves do not lead to its final grid"
    if final.ply - start.ply != game.length:
        return f"it has {final.ply - start.ply} moves, the row says {game.length}"
    told = "full" if final.winner is None else "four"
    is_told = (game.ending, game.winner) == (told, final.winner)
    if final.is_over and not is_told:
        return f"it ended with {told!r} on the board, the row says {game.ending!r}"
    was_left = game.ending == UNFINISHED
    if not final.is_over and (game.ending in ON_THE_BOARD or was_left != (game.winner is None)):
        return "it is not over"
    return None
