"""The integrity check of matches: are their games all there, and do they keep the rules?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select

from c4core.errors import C4Error
from c4core.notation import parse_moves
from c4core.position import Position
from db.game_records import ON_THE_BOARD, GameFilter
from db.game_store import stream_games
from db.job_records import JobState
from db.match_standings import Origin
from db.match_terms import MatchTerms
from db.models import Game, Job, Match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from db.game_records import StoredGame


def match_faults(session: Session) -> Iterator[str]:
    """What is wrong with matches and their games, in words."""
    for match_id, terms, number in session.connection().execute(_finished()):
        planned = MatchTerms.from_json(terms).games
        if number != planned:
            yield f"match {match_id} is over, but has {number:,} of its {planned:,} games"
    broken = select(Match.id).where(~Match.is_whole).order_by(Match.id)
    for match_id in session.scalars(broken):
        yield f"match {match_id}: its import is under way, or was interrupted"
    for match_id, terms in session.execute(select(Match.id, Match.terms).order_by(Match.id)):
        start = MatchTerms.from_json(terms).start
        for game in stream_games(session, GameFilter(matches=(match_id,))):
            fault = _fault(game, start)
            if fault is not None:
                yield f"game {match_id}:{game.number}: {fault}"


def _finished() -> Select[Any]:
    """Matches that must have all their games, and how many they have."""
    return (
        select(Match.id, Match.terms, func.count(Game.number))
        .outerjoin(Job, Match.job_id == Job.id)
        .outerjoin(Game, Game.match_id == Match.id)
        .where(
            Match.is_whole,
            Match.verdict.is_(None),
            or_(Match.origin == Origin.IMPORTED.value, Job.state == JobState.DONE),
        )
        .group_by(Match.id, Match.terms)
        .order_by(Match.id)
    )


def _fault(game: StoredGame, start: Position) -> str | None:
    """What contradicts the rules of the game in a stored one, if anything."""
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
    if not final.is_over and (game.ending in ON_THE_BOARD or game.winner is None):
        return "it is not over"
    return None
