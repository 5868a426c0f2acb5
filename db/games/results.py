"""Results of matches: counted by the database, or as arrays with an entry for each game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sqlalchemy import BigInteger, Text, and_, case, cast, func, or_, select, type_coerce

from c4core.arena.statistics import Tally
from db.errors import MatchNotFoundError
from db.models import Game, Match
from db.records.games import ON_THE_BOARD, UNFINISHED
from db.records.matches import MatchResults, MatchTally, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from sqlalchemy import Executable
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize

_PACE_GAMES: Final = 1_000
"""Number of games from which the pace of a player is measured."""

_ROWS: Final = 5_000
"""Number of rows fetched at a time."""

_RESULTS: Final = 1_000
"""Number of results in one query: after a gap there may be any number of them."""

_MATCHES: Final = 500
"""Maximum number of matches in one query: both databases limit the number of parameters."""

_A_RESULT: Final = case((Game.a_is_x, Game.winner), else_=-Game.winner)

_LAYOUT: Final = np.dtype(
    [
        ("number", "i8"),
        ("a_result", "i1"),
        ("a_is_x", "?"),
        ("length", "i2"),
        ("a_seconds", "f8"),
        ("b_seconds", "f8"),
        ("is_forfeit", "?"),
    ]
)
"""A row of the query of :func:`read_results`, column by column."""


def read_tallies(session: Session, match_ids: Sequence[int]) -> dict[int, MatchTally]:
    """Return the results of matches by number; matches without a finished game are left out."""
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
    """Return how many moves a player made in its newest match, and how many seconds they took.

    ``player`` is the player's full description. Only the first games of the match are read, because
    it may have a million.
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


def read_results(session: Session, match_id: int) -> MatchResults:
    """Return the finished games of a match as arrays, 29 bytes per game."""
    a_seconds = case((Game.a_is_x, Game.x_seconds), else_=Game.o_seconds)
    b_seconds = case((Game.a_is_x, Game.o_seconds), else_=Game.x_seconds)
    query = (
        select(
            Game.number,
            _A_RESULT,
            Game.a_is_x,
            Game.length,
            a_seconds,
            b_seconds,
            Game.ending.not_in(ON_THE_BOARD),
        )
        .where(Game.match_id == match_id, Game.ending != UNFINISHED)
        .order_by(Game.number)
    )
    rows = np.fromiter(_stream(session, query), dtype=_LAYOUT)
    number, a_result, a_is_x, length, a_took, b_took, is_forfeit = (
        np.ascontiguousarray(rows[name]) for name in _LAYOUT.names or ()
    )
    return MatchResults(
        number=number,
        a_result=a_result,
        a_is_x=a_is_x,
        length=length,
        a_seconds=a_took,
        b_seconds=b_took,
        is_forfeit=is_forfeit,
        distinct=_distinct(session, match_id),
    )


def results_in_order(session: Session, match_id: int, first: int = 0) -> Iterator[int]:
    """Yield the results for player a (1, 0, -1) of a match's games, by number, up to the first gap.

    Nothing is yielded if the game with number ``first`` is not stored yet.
    """
    while True:
        query = (
            select(Game.number, _A_RESULT)
            .where(Game.match_id == match_id, Game.number >= first)
            .order_by(Game.number)
            .limit(_RESULTS)
        )
        rows = session.connection().execute(query).all()
        for expected, (number, result) in enumerate(rows, start=first):
            if number != expected:
                return
            yield result
        if len(rows) < _RESULTS:
            return
        first += len(rows)


def read_finals(
    session: Session, match_ids: Sequence[int]
) -> tuple[NDArray[np.uint64], NDArray[np.int8]]:
    """Return the final grids and winners of the games that were played out.

    All matches must be on the same board.

    Returns:
        The keys of the final positions, and 1 if ``x`` won, -1 if ``o`` won, 0 for a draw; by match
        and number. An array of keys of more than 64 bits has two columns: their low and high half.

    Raises:
        MatchNotFoundError: a match does not exist any more.
    """
    layout = np.dtype([("key", "u8"), ("high", "i8"), ("winner", "i1")])
    high = type_coerce(Game.final_key_high, BigInteger())
    pieces = [np.empty(0, dtype=layout)]
    for first in range(0, len(match_ids), _MATCHES):
        some = match_ids[first : first + _MATCHES]
        there = set(session.scalars(select(Match.id).where(Match.id.in_(some))))
        missing = [match_id for match_id in some if match_id not in there]
        if missing:
            raise MatchNotFoundError(missing[0])
        query = (
            select(Game.final_key, high, Game.winner)
            .where(
                Game.match_id.in_(some),
                Game.ending.in_(ON_THE_BOARD),
            )
            .order_by(Game.match_id, Game.number)
        )
        pieces.append(np.fromiter(_stream(session, query), dtype=layout))
    games = np.concatenate(pieces)
    keys = np.ascontiguousarray(games["key"])
    if games["high"].any():
        keys = np.stack([keys, games["high"].astype(np.uint64)], axis=1)
    return keys, np.ascontiguousarray(games["winner"])


def _distinct(session: Session, match_id: int) -> int:
    high = type_coerce(Game.final_key_high, BigInteger())
    finals = (
        case((and_(Game.moves.is_(None), high == 0), Game.final_key)),
        # Both databases count distinct values of one column only.
        case(
            (
                and_(Game.moves.is_(None), high != 0),
                cast(high, Text) + " " + cast(type_coerce(Game.final_key, BigInteger()), Text),
            )
        ),
    )
    query = select(*(func.count(each.distinct()) for each in (Game.moves, *finals))).where(
        Game.match_id == match_id, Game.ending != UNFINISHED
    )
    return sum(session.connection().execute(query).one())


def _stream(session: Session, query: Executable) -> Iterator[tuple[Any, ...]]:
    with session.connection().execute(query.execution_options(yield_per=_ROWS)) as found:
        for partition in found.partitions():
            yield from [tuple(row) for row in partition]
