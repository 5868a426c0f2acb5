"""Write games, and read one, a page or all of them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, Integer, select, tuple_

from db.decoding import is_number, is_small_number
from db.errors import GameNotFoundError
from db.models import Base, Game, Match, stored_columns
from db.records.games import UNFINISHED, GameCursor, GamePage, StoredGame
from db.sql import dialect_of, insert_into

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Row, Select
    from sqlalchemy.orm import Session

    from c4core.position import Side
    from db.records.games import GameFilter

_BATCH: Final = 1_000
"""Number of games that are held in memory and inserted or fetched together."""

_COLUMNS: Final = stored_columns(Base.metadata.tables[Game.__tablename__])

_WINNERS: Final[dict[Side | None, int]] = {"x": 1, "o": -1, None: 0}
_SIDES: Final[dict[int, Side | None]] = {1: "x", -1: "o", 0: None}


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
    if len(rows) <= limit:
        return GamePage(games, None)
    return GamePage(games, GameCursor(games[-1].match_id, games[-1].number))


def stream_games(
    session: Session, filters: GameFilter, *, after: GameCursor | None = None
) -> Iterator[StoredGame]:
    """Yield all matching games after ``after``, by match, then by number, in constant memory.

    The transaction stays open while the games are taken.
    """
    query = _ordered(filters, after).execution_options(yield_per=_BATCH)
    with session.connection().execute(query) as found:
        for row in found:
            yield _game(row)


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
