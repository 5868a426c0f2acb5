"""The results of matches, counted by the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import case, func, or_, select

from c4core.arena.statistics import Tally
from db.models import Game, Match
from db.records.games import ON_THE_BOARD, UNFINISHED
from db.records.matches import MatchTally, Origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize

_PACE_GAMES: Final = 1_000
"""Games from which the pace of a player is measured."""


def read_tallies(session: Session, match_ids: Sequence[int]) -> dict[int, MatchTally]:
    """The results of matches, by number; those without a finished game are left out."""
    if not match_ids:
        return {}
    failed = case((Game.ending.in_(ON_THE_BOARD), 0), else_=1)
    query = (
        select(Game.match_id, Game.a_is_x, Game.winner, failed, func.count())
        .where(Game.match_id.in_(match_ids), Game.ending != UNFINISHED)
        .group_by(Game.match_id, Game.a_is_x, Game.winner, failed)
    )
    counts: dict[int, dict[tuple[bool, int, bool], int]] = {}
    for match_id, a_is_x, winner, is_forfeit, number in session.connection().execute(query):
        a_result = winner if a_is_x else -winner
        counts.setdefault(match_id, {})[a_is_x, a_result, bool(is_forfeit)] = number
    return {match_id: _tally(found) for match_id, found in counts.items()}


def read_pace(session: Session, board: BoardSize, player: str) -> tuple[float, float]:
    """How many moves a player made in its newest match, and the seconds that they took.

    Only the first games of the match are read: it may have a million.

    Args:
        session: any.
        board: the board of the match.
        player: its full description.
    """
    newest = (
        select(Match.id, Match.player_a)
        .where(
            Match.origin == Origin.PLAYED.value,
            Match.width == board.width,
            Match.height == board.height,
            or_(Match.player_a == player, Match.player_b == player),
            select(Game.number).where(Game.match_id == Match.id).exists(),
        )
        .order_by(Match.id.desc())
        .limit(1)
    )
    match = session.connection().execute(newest).one_or_none()
    if match is None:
        return 0.0, 0.0
    is_x = Game.a_is_x if match.player_a == player else ~Game.a_is_x
    query = select(
        func.sum(Game.length) / 2.0,
        func.sum(case((is_x, Game.x_seconds), else_=Game.o_seconds)),
    ).where(Game.match_id == match.id, Game.number < _PACE_GAMES)
    moves, seconds = session.connection().execute(query).one()
    return float(moves or 0), seconds or 0.0


def _tally(counts: Mapping[tuple[bool, int, bool], int]) -> MatchTally:
    def number(*, a_is_x: bool, result: int) -> int:
        return sum(counts.get((a_is_x, result, failed), 0) for failed in (False, True))

    def tally(*, a_is_x: bool) -> Tally:
        return Tally(
            number(a_is_x=a_is_x, result=1),
            number(a_is_x=a_is_x, result=-1),
            number(a_is_x=a_is_x, result=0),
        )

    return MatchTally(
        a_as_x=tally(a_is_x=True),
        a_as_o=tally(a_is_x=False),
        a_forfeits=sum(counts.get((a_is_x, -1, True), 0) for a_is_x in (False, True)),
        b_forfeits=sum(counts.get((a_is_x, 1, True), 0) for a_is_x in (False, True)),
    )
