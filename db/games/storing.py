"""Games of matches: write and read them, count their results, or read these as arrays."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Text,
    and_,
    case,
    cast,
    func,
    or_,
    select,
    tuple_,
    type_coerce,
)

from c4core.arena.statistics import Tally
from c4core.position import Position
from db.errors import GameNotFoundError, MatchNotFoundError
from db.models import Game, Match
from db.records.games import (
    ON_THE_BOARD,
    UNFINISHED,
    GameCursor,
    GamePage,
    MoveCount,
    StoredGame,
)
from db.records.matches import MatchResults, MatchTally, Origin
from db.sql import dialect_of, insert_into, is_number, is_small_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray
    from sqlalchemy import Executable, Row, Select
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from c4core.position import Side
    from db.records.games import GameFilter

    _Counts = Counter[tuple[bool, int, bool]]
    """Numbers of games by: whether a had ``x``, a's result, whether it was a forfeit."""

_BATCH: Final = 1_000
"""Number of games that are held in memory and inserted or fetched together."""

_COLUMNS: Final = list(Game.__table__.columns)

_WINNERS: Final[dict[Side | None, int]] = {"x": 1, "o": -1, None: 0}
_SIDES: Final[dict[int, Side | None]] = {1: "x", -1: "o", 0: None}

_PACE_GAMES: Final = 1_000
"""Number of games from which the pace of a player is measured."""

_ROWS: Final = 5_000
"""Number of rows fetched at a time."""

_RESULTS: Final = 1_000
"""Number of results in one query: after a gap there may be any number of them."""

MOST_MATCHES: Final = 500
"""Maximum number of matches in one query: both databases limit the number of parameters."""

_A_RESULT: Final = case((Game.a_is_x, Game.winner), else_=-Game.winner)

_FINAL_HIGH: Final = type_coerce(Game.final_key_high, BigInteger())
"""The high half of the final key, as it is stored."""

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
"""A row of the query of :func:`read_results`, with the fields of MatchResults."""


def add_games(session: Session, match_id: int, games: Iterable[StoredGame]) -> int:
    """Store games of an existing match; return how many were given.

    A game whose number is already stored stays as it is.
    """
    statement = insert_into(dialect_of(session), Game).on_conflict_do_nothing()
    source = iter(games)
    given = 0
    while batch := [_row(match_id, game) for game in islice(source, _BATCH)]:
        session.connection().execute(statement, batch)
        given += len(batch)
    return given


def find_game(session: Session, match_id: int, number: int) -> StoredGame:
    """Return one game.

    Raises:
        GameNotFoundError: the match has no game with this number.
    """
    query = select(*_COLUMNS).where(Game.match_id == match_id, Game.number == number)
    fits = is_number(match_id) and is_small_number(number)
    row = session.connection().execute(query).one_or_none() if fits else None
    if row is None:
        raise GameNotFoundError(match_id, number)
    return _game(row)


def list_games(
    session: Session, filters: GameFilter, *, after: GameCursor | None = None, limit: int = 100
) -> GamePage:
    """Return a page of the matching games, by match, then by number.

    ``after`` is ``next`` of the previous page, None for the first. The cost of a page does not grow
    with its distance from the first.
    """
    query = _ordered(filters, after).limit(limit + 1)
    rows = session.connection().execute(query).all()
    games = tuple(_game(row) for row in rows[:limit])
    more = len(rows) > limit
    return GamePage(games, GameCursor(games[-1].match_id, games[-1].number) if more else None)


def stream_games(session: Session, filters: GameFilter) -> Iterator[StoredGame]:
    """Yield all matching games, by match, then by number, in constant memory.

    The transaction stays open while the games are taken.
    """
    query = _ordered(filters, None).execution_options(yield_per=_BATCH)
    with session.connection().execute(query) as found:
        for row in found:
            yield _game(row)


def count_moves(session: Session, board: BoardSize, moves: str, *, most: int) -> list[MoveCount]:
    """Count the moves that followed ``moves`` in the latest games from the empty board.

    At most ``most`` games of the latest :data:`MOST_MATCHES` matches on the board are read.
    Unfinished games do not count.
    """
    on_board = (
        select(Match.id, Match.terms)
        .where(Match.width == board.width, Match.height == board.height)
        .order_by(Match.id.desc())
        .limit(MOST_MATCHES)
    )
    empty = Position(board=board).key
    found = session.execute(on_board).all()
    latest = (
        select(Game.match_id, Game.a_is_x, Game.moves, Game.winner)
        .where(
            Game.match_id.in_([number for number, terms in found if terms["start"] == empty]),
            Game.ending != UNFINISHED,
        )
        .order_by(Game.match_id.desc(), Game.number.desc())
        .limit(most)
        .subquery()
    )
    ply = len(moves)
    column = func.substr(latest.c.moves, ply + 1, 1)
    a_moves = latest.c.a_is_x if ply % 2 == 0 else ~latest.c.a_is_x
    player = case((a_moves, Match.player_a), else_=Match.player_b)
    keys = (column, player, latest.c.winner)
    query = (
        select(*keys, func.count())
        .join(Match, Match.id == latest.c.match_id)
        .where(func.substr(latest.c.moves, 1, ply) == moves, func.length(latest.c.moves) > ply)
        .group_by(*keys)
    )
    return [
        MoveCount(label, name, _SIDES[winner], games)
        for label, name, winner, games in session.execute(query)
    ]


def _ordered(filters: GameFilter, after: GameCursor | None) -> Select[Any]:
    query = select(*_COLUMNS).where(*_conditions(filters)).order_by(Game.match_id, Game.number)
    if filters.board is not None:
        query = query.join(Match, Game.match_id == Match.id)
    if after is not None:
        place = tuple_(*after, types=(Integer(), Integer()))
        query = query.where(tuple_(Game.match_id, Game.number) > place)
    return query


def _conditions(filters: GameFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filters.matches is not None:
        conditions.append(Game.match_id.in_(filters.matches))
    if filters.board is not None:
        conditions.append(Match.width == filters.board.width)
        conditions.append(Match.height == filters.board.height)
    if filters.winner is not None:
        conditions.append(Game.winner == _WINNERS[filters.winner])
    if filters.is_draw is not None:
        conditions.append(Game.winner == 0 if filters.is_draw else Game.winner != 0)
        conditions.append(Game.ending != UNFINISHED)
    if filters.endings is not None:
        conditions.append(Game.ending.in_(filters.endings))
    if filters.min_length is not None:
        conditions.append(Game.length >= filters.min_length)
    if filters.max_length is not None:
        conditions.append(Game.length <= filters.max_length)
    if filters.has_moves is not None:
        known = Game.moves.is_not(None)
        conditions.append(known if filters.has_moves else Game.moves.is_(None))
    return conditions


def _row(match_id: int, game: StoredGame) -> dict[str, Any]:
    values = game._asdict() | {
        "match_id": match_id,
        "final_key_high": game.final_key,
        "winner": _WINNERS[game.winner],
        "ending": str(game.ending),
        "replaced": list(game.replaced),
    }
    return values | {"a_is_x": values.pop("a_side") == "x"}


def _game(row: Row[Any]) -> StoredGame:
    values: dict[str, Any] = row._asdict()
    values["a_side"] = "x" if values.pop("a_is_x") else "o"
    values["final_key"] += values.pop("final_key_high")
    values["winner"] = _SIDES[values["winner"]]
    values["replaced"] = tuple(values["replaced"])
    return StoredGame(**values)


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
    counts: defaultdict[int, _Counts] = defaultdict(Counter)
    for match_id, a_is_x, winner, is_forfeit, number in session.connection().execute(query):
        a_result = winner if a_is_x else -winner
        counts[match_id][a_is_x, a_result, bool(is_forfeit)] = number
    return {match_id: _tally(found) for match_id, found in counts.items()}


def _tally(counts: _Counts) -> MatchTally:
    def tally(*, a_is_x: bool) -> Tally:
        won, lost, drawn = (
            counts[a_is_x, result, False] + counts[a_is_x, result, True] for result in (1, -1, 0)
        )
        return Tally(won, lost, drawn)

    return MatchTally(
        a_as_x=tally(a_is_x=True),
        a_as_o=tally(a_is_x=False),
        a_forfeits=counts[True, -1, True] + counts[False, -1, True],
        b_forfeits=counts[True, 1, True] + counts[False, 1, True],
    )


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
    columns: dict[str, Any] = {
        name: np.ascontiguousarray(rows[name]) for name in _LAYOUT.names or ()
    }
    return MatchResults(**columns, distinct=_distinct(session, match_id))


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
    pieces = [np.empty(0, dtype=layout)]
    for first in range(0, len(match_ids), MOST_MATCHES):
        some = match_ids[first : first + MOST_MATCHES]
        there = set(session.scalars(select(Match.id).where(Match.id.in_(some))))
        missing = [match_id for match_id in some if match_id not in there]
        if missing:
            raise MatchNotFoundError(missing[0])
        query = (
            select(Game.final_key, _FINAL_HIGH, Game.winner)
            .where(Game.match_id.in_(some), Game.ending.in_(ON_THE_BOARD))
            .order_by(Game.match_id, Game.number)
        )
        pieces.append(np.fromiter(_stream(session, query), dtype=layout))
    games = np.concatenate(pieces)
    keys = np.ascontiguousarray(games["key"])
    if games["high"].any():
        keys = np.stack([keys, games["high"].astype(np.uint64)], axis=1)
    return keys, np.ascontiguousarray(games["winner"])


def _distinct(session: Session, match_id: int) -> int:
    only_grid = Game.moves.is_(None)
    low = type_coerce(Game.final_key, BigInteger())
    finals = (
        case((and_(only_grid, _FINAL_HIGH == 0), low)),
        # Both databases count distinct values of one column only.
        case((and_(only_grid, _FINAL_HIGH != 0), cast(_FINAL_HIGH, Text) + " " + cast(low, Text))),
    )
    query = select(*(func.count(each.distinct()) for each in (Game.moves, *finals))).where(
        Game.match_id == match_id, Game.ending != UNFINISHED
    )
    return sum(session.connection().execute(query).one())


def _stream(session: Session, query: Executable) -> Iterator[tuple[Any, ...]]:
    with session.connection().execute(query.execution_options(yield_per=_ROWS)) as found:
        for partition in found.partitions():
            yield from [tuple(row) for row in partition]
