"""The integrity check of rows: checksums and seals, evaluations, and the games of matches.

It finds values that have changed since they were stored, and evaluations that cannot be true. A
sample is searched again. It also finds games that are missing or against the rules.
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import LargeBinary, delete, func, not_, or_, select, tuple_, type_coerce
from sqlalchemy.exc import DBAPIError, PendingRollbackError

from c4core import Position, Solver
from c4core.errors import C4Error
from c4core.notation import check_board, parse_moves
from db.errors import DamagedValueError
from db.evaluations.rows import (
    COLUMNS,
    PLACE,
    SCORES_CHANGED,
    STORED,
    DriverQuery,
    check_row,
    decode,
    full_column_bits,
    is_sound,
    name_of,
)
from db.games.matches import get_terms
from db.games.storing import stream_games
from db.models import Base, CorpusMatch, Evaluation, Game, Job, Match
from db.records.games import ON_THE_BOARD, UNFINISHED, GameFilter
from db.records.jobs import JobState
from db.records.matches import Origin
from db.types import (
    JsonObject,
    PackedBytes,
    as_stored,
    has_changed,
    unpack,
    unseal_stored,
    wrong_types,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Column, ColumnElement, Row as SelectedRow, Select, Table
    from sqlalchemy.orm import Session

    from db.evaluations.rows import ColumnValues
    from db.records.evaluations import StoredEvaluation
    from db.records.games import StoredGame

_ROWS: Final = 1_000
"""Number of rows fetched at a time."""

_EVALUATIONS: Final = 2_000
"""Number of evaluations fetched at a time."""

_TABLE_MB: Final = 64


Place = tuple[int, ...]
"""The stored values of PLACE."""


class Row(NamedTuple):
    """A row that has changed since it was written."""

    name: str
    """The row's name in messages."""
    key: tuple[int, ...] | None
    """The primary key, if it consists of numbers."""
    fault: str


def row_faults(session: Session) -> Iterator[str]:
    """Report rows with a wrong checksum, or with values of wrong types."""
    for table in Base.metadata.sorted_tables:
        for row in changed_rows(session, table):
            yield f"{row.name} {row.fault}"


def changed_rows(session: Session, table: Table) -> Iterator[Row]:
    """The rows of a table with a wrong checksum, or values of wrong types."""
    query = select(*_names(session, table)).where(has_changed(session, table))
    for row in _stream(session, query):
        yield _row(table, row, "has changed since it was written: its checksum differs")


def seal_faults(session: Session) -> Iterator[str]:
    """Report JSON objects and packed bytes that have changed since they were stored."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            for row in broken_seals(session, table, column):
                yield f"{row.name}, column {column.name}: {row.fault}"


def broken_seals(session: Session, table: Table, column: Column[Any]) -> Iterator[Row]:
    """The rows whose JSON object or packed bytes in a column have changed since they were stored.

    Columns of other types have no seals.
    """
    stored: ColumnElement[Any]
    read: Callable[[Any], object]
    if isinstance(column.type, JsonObject):
        stored, read = as_stored(session, column), partial(unseal_stored, needs_seal=True)
    elif isinstance(column.type, PackedBytes):
        stored, read = type_coerce(column, LargeBinary()), unpack
    else:
        return
    query = select(*_names(session, table), stored).where(column.is_not(None))
    for row in _stream(session, query):
        try:
            read(row[-1])
        except DamagedValueError as error:
            yield _row(table, row, str(error))


def _names(session: Session, table: Table) -> list[ColumnElement[Any]]:
    return [as_stored(session, column) for column in table.primary_key]


def _row(table: Table, row: SelectedRow[Any], fault: str) -> Row:
    values = [_decoded(value) for value in row[: len(table.primary_key)]]
    key = None
    with suppress(ValueError):
        key = tuple(map(int, values))
    return Row(f"table {table.name}, row {','.join(values)}", key, fault)


def _decoded(value: object) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def _stream(session: Session, query: Any) -> Iterator[SelectedRow[Any]]:  # noqa: ANN401
    with session.connection().execute(query.execution_options(yield_per=_ROWS)) as found:
        yield from found


def evaluation_faults(session: Session) -> Iterator[str]:
    """Report which evaluations cannot be true, and why."""
    for values in _evaluations(session):
        fault = _evaluation_fault(values)
        if fault is not None:
            yield _told(values, fault)


def faulty_evaluations(session: Session) -> Iterator[Place]:
    """The evaluations that cannot be true."""
    for values in _evaluations(session):
        if _evaluation_fault(values) is not None:
            yield values[: len(PLACE)]


def drop_faulty(session: Session, places: Sequence[Place]) -> Iterator[str]:
    """Delete the given evaluations that cannot be true, and yield the reasons."""
    for place in places:
        is_row = tuple_(*PLACE) == place
        query = select(*COLUMNS).where(is_row).with_for_update()
        for row in session.connection().execute(query).all():
            fault = _evaluation_fault(tuple(row))
            if fault is not None:
                session.connection().execute(delete(Evaluation).where(is_row))
                yield _told(row, fault)


def _told(values: Sequence[Any], fault: str) -> str:
    return f"{name_of(values)}: {fault}"


def sample(session: Session, number: int, seed: int) -> list[StoredEvaluation]:
    """Choose evaluations at random, or all if there are fewer; the same seed chooses the same ones.

    Evaluations that cannot be true are left out.
    """
    chosen: list[ColumnValues] = []
    lots = random.Random(seed)  # noqa: S311 (no secret)
    for index, values in enumerate(
        row for row in _evaluations(session) if _evaluation_fault(row) is None
    ):
        if index < number:
            chosen.append(values)
        elif (place := lots.randrange(index + 1)) < number:
            chosen[place] = values
    return decode(sorted(chosen))


def resolve(
    rows: list[StoredEvaluation], *, seconds: float
) -> Iterator[tuple[StoredEvaluation, str | None]]:
    """Search evaluations once more, for ``seconds`` each, without any stored results.

    Yield every row with the contradiction that the search found, or None.
    """
    solver = Solver(table_mb=_TABLE_MB)
    for row in rows:
        position = Position.from_key(row.key, width=row.width, height=row.height)
        if position.is_over or row.scores is None:
            found = solver.solve(position, time_limit=seconds)
            yield row, _difference(row, found.lower, found.upper)
            continue
        analysis = solver.analyze(position, time_limit=seconds)
        fault = _difference(row, analysis.lower, analysis.upper)
        for column, (told, score) in enumerate(zip(row.scores, analysis.scores, strict=True), 1):
            if None not in (told, score) and told != score:
                fault = f"column {column} scores {told}, but {score} when it is searched again"
        yield row, fault


def _difference(row: StoredEvaluation, lower: int, upper: int) -> str | None:
    """The contradiction between the bounds of a row and another search, or None."""
    if lower <= row.upper and upper >= row.lower:
        return None
    return f"bounds {row.lower} to {row.upper}, but {lower} to {upper} when it is searched again"


def _evaluations(session: Session) -> Iterator[ColumnValues]:
    """All rows by key. Rows with values of wrong types are left out: another check finds them."""
    query = select(*COLUMNS).where(not_(wrong_types(session, STORED))).order_by(*PLACE)
    connection = session.connection()
    batches = DriverQuery(query, connection.dialect.name).batches(connection, _EVALUATIONS)
    for rows in batches:
        yield from rows


def _evaluation_fault(values: ColumnValues) -> str | None:
    """The contradiction between a stored row and the rules of the game, or None."""
    try:
        board = check_board(values[0], values[1])
        if not is_sound(values):
            return SCORES_CHANGED
        (row,) = decode([values])
        check_row(row, board, full_column_bits(board))
        return _contradiction(row)
    except Exception as error:  # noqa: BLE001 (any error that a row causes is its fault)
        return str(error)


def _contradiction(row: StoredEvaluation) -> str | None:
    """The contradiction in a row whose values are possible on its board, or None."""
    position = Position.from_key(row.key, width=row.width, height=row.height)
    if position.canonical_key != row.key:
        return "the key is not canonical"
    if position.ply != row.ply:
        return f"it has {position.ply} stones, but the row says {row.ply}"
    cells = row.width * row.height
    # A game that is over was won by the previous move.
    worst = -((cells + 2 - row.ply) // 2 if position.is_over else (cells - row.ply) // 2)
    if row.lower < worst or row.upper > (cells + 1 - row.ply) // 2:
        return f"no score {row.lower} to {row.upper} is possible after {row.ply} stones"
    known = [score for score in row.scores or () if score is not None]
    if known and not row.lower == row.upper == max(known):
        return f"bounds {row.lower} to {row.upper}, but the best column scores {max(known)}"
    return None


def match_faults(session: Session) -> Iterator[str]:
    """Report faults of matches and their games."""
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
    """Whether an error is about the database and not about a row, such as a lost connection."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, PendingRollbackError)
    # SQLite's driver reports one fault of a row without a code: a text that is not UTF-8.
    is_a_text = isinstance(error.orig, sqlite3.Error) and not hasattr(
        error.orig, "sqlite_errorcode"
    )
    return not is_a_text


def _match_faults(session: Session, match_id: int, number: int | None) -> Iterator[str]:
    """The faults of one match.

    ``number`` is the count of its games; None if games may be missing.
    """
    terms = get_terms(session, match_id)
    if number is not None and number != terms.games:
        yield f"match {match_id} is over, but has {number:,} of its {terms.games:,} games"
    corpus = select(CorpusMatch.corpus_match_id).where(CorpusMatch.match_id == match_id)
    if set(session.scalars(corpus)) != set(terms.corpus):
        yield f"match {match_id}: its terms and table corpus_matches name different matches"
    for game in stream_games(session, GameFilter(matches=(match_id,))):
        fault = _game_fault(game, terms.start)
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


def _game_fault(game: StoredGame, start: Position) -> str | None:
    """The contradiction between a stored game and the rules, or None."""
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
        return f"it has {final.ply - start.ply} moves, but the row says {game.length}"
    told = "full" if final.winner is None else "four"
    is_told = (game.ending, game.winner) == (told, final.winner)
    if final.is_over and not is_told:
        return f"it ended with {told!r} on the board, but the row says {game.ending!r}"
    was_left = game.ending == UNFINISHED
    if not final.is_over and (game.ending in ON_THE_BOARD or was_left != (game.winner is None)):
        return "it is not over"
    return None
