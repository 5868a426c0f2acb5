"""The games of matches as arrays: for reports, sequential tests, and players that look them up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sqlalchemy import case, func, select

from db.errors import MatchNotFoundError
from db.models import Game, Match
from db.records.games import ON_THE_BOARD, UNFINISHED
from db.records.matches import MatchResults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sqlalchemy import Executable
    from sqlalchemy.orm import Session

_ROWS: Final = 5_000
"""Rows fetched at a time."""

_RESULTS: Final = 1_000
"""Results in one query: after a gap there may be any number of them."""

_MATCHES: Final = 500
"""Matches in one query: both databases limit the number of parameters."""

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


def read_results(session: Session, match_id: int) -> MatchResults:
    """The finished games of a match as arrays, some 25 bytes each, however many."""
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
    """The results for player a (1, 0, -1) of a match's games, by number, up to the first gap.

    Args:
        session: in a transaction.
        match_id: the match.
        first: number of the first game; there are no results if it is not stored yet.
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
    """The final grids of the games that ended on the board, with their winners.

    Args:
        session: any.
        match_ids: on one board.

    Returns:
        The keys of the positions at the end, and 1 where ``x`` won, -1 where ``o`` did, 0 for a
        draw; by match and number.

    Raises:
        MatchNotFoundError: one is not there any more.
    """
    layout = np.dtype([("key", "u8"), ("winner", "i1")])
    pieces = [np.empty(0, dtype=layout)]
    for first in range(0, len(match_ids), _MATCHES):
        some = match_ids[first : first + _MATCHES]
        there = set(session.scalars(select(Match.id).where(Match.id.in_(some))))
        missing = [match_id for match_id in some if match_id not in there]
        if missing:
            raise MatchNotFoundError(missing[0])
        query = (
            select(Game.final_key, Game.winner)
            .where(
                Game.match_id.in_(some),
                Game.ending.in_(ON_THE_BOARD),
            )
            .order_by(Game.match_id, Game.number)
        )
        pieces.append(np.fromiter(_stream(session, query), dtype=layout))
    games = np.concatenate(pieces)
    return np.ascontiguousarray(games["key"]), np.ascontiguousarray(games["winner"])


def _distinct(session: Session, match_id: int) -> int:
    final = case((Game.moves.is_(None), Game.final_key))
    query = select(func.count(Game.moves.distinct()), func.count(final.distinct())).where(
        Game.match_id == match_id, Game.ending != UNFINISHED
    )
    return sum(session.connection().execute(query).one())


def _stream(session: Session, query: Executable) -> Iterator[tuple[Any, ...]]:
    """Rows as plain tuples, in constant memory."""
    with session.connection().execute(query.execution_options(yield_per=_ROWS)) as found:
        for partition in found.partitions():
            yield from [tuple(row) for row in partition]
