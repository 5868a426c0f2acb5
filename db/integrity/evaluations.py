"""The integrity check of evaluations: can they be true? A sample is also searched again."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, not_, select, tuple_

from c4core import Position, Solver
from c4core.notation import BoardSize, check_board
from db.checksums import wrong_types
from db.evaluations.columns import (
    COLUMNS,
    SCORES_CHANGED,
    check_row,
    decode,
    full_column_bits,
    is_sound,
    stored_key,
)
from db.evaluations.driver_query import DriverQuery
from db.models import Evaluation
from db.types import KEY_SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

    from db.evaluations.columns import ColumnValues
    from db.records.evaluations import StoredEvaluation

_ROWS: Final = 2_000
"""Rows fetched at a time."""

_TABLE_MB: Final = 64


Place = tuple[int, int, int]
"""Columns and rows of the board, and the key as it is stored."""


def faults(session: Session) -> Iterator[str]:
    """Say which evaluations cannot be true, and why."""
    for values in _rows(session):
        fault = _fault(values)
        if fault is not None:
            yield _told(values, fault)


def faulty(session: Session) -> Iterator[Place]:
    """The evaluations that cannot be true."""
    for values in _rows(session):
        if _fault(values) is not None:
            yield values[:3]


def drop_faulty(session: Session, places: Sequence[Place]) -> Iterator[str]:
    """Delete those of some evaluations that cannot be true, and say why."""
    table = Evaluation.__table__
    for place in places:
        is_row = tuple_(table.c.width, table.c.height, stored_key) == place
        query = select(*COLUMNS).where(is_row).with_for_update()
        for row in session.connection().execute(query).all():
            fault = _fault(tuple(row))
            if fault is not None:
                session.connection().execute(delete(Evaluation).where(is_row))
                yield _told(row, fault)


def _told(values: Sequence[Any], fault: str) -> str:
    return f"position {values[2] + KEY_SHIFT} of {values[0]}x{values[1]}: {fault}"


def sample(session: Session, number: int, seed: int) -> list[StoredEvaluation]:
    """Evaluations chosen at random, or all if there are fewer; the same seed chooses the same ones.

    Those that cannot be true are left out.
    """
    chosen: list[ColumnValues] = []
    lots = random.Random(seed)  # noqa: S311 (no secret)
    for index, values in enumerate(row for row in _rows(session) if _fault(row) is None):
        place = index if index < number else lots.randrange(index + 1)
        if index < number:
            chosen.append(values)
        elif place < number:
            chosen[place] = values
    return decode(sorted(chosen))


def resolve(
    rows: list[StoredEvaluation], *, seconds: float
) -> Iterator[tuple[StoredEvaluation, str | None]]:
    """Search evaluations once more, without any of what is stored.

    Args:
        rows: evaluations that can be true.
        seconds: the limit for one position.

    Yields:
        Every row, and how the search contradicts it; None where it does not.
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
    """How the bounds of a row contradict those of another search, if they do."""
    if lower <= row.upper and upper >= row.lower:
        return None
    return f"bounds {row.lower}..{row.upper}, but {lower}..{upper} when it is searched again"


def _rows(session: Session) -> Iterator[ColumnValues]:
    """All rows by key, except those with values of wrong types, which another check finds."""
    table = Evaluation.__table__
    columns = [table.c[column.name] for column in COLUMNS]
    query = (
        select(*COLUMNS)
        .where(not_(wrong_types(session, columns)))
        .order_by(table.c.width, table.c.height, table.c.key)
    )
    connection = session.connection()
    batches = DriverQuery(query, connection.dialect.name).batches(connection, _ROWS, {})
    for rows in batches:
        yield from rows


def _fault(values: ColumnValues) -> str | None:
    """What contradicts the rules of the game in a stored row, if anything."""
    try:
        board = check_board(values[0], values[1])
        if not is_sound(values):
            return SCORES_CHANGED
        (row,) = decode([values])
        check_row(row, board, _full_column_bits(board))
        return _contradiction(row)
    except Exception as error:  # noqa: BLE001 (whatever a row provokes is its fault)
        return str(error)


@cache
def _full_column_bits(board: BoardSize) -> int:
    return full_column_bits(board)


def _contradiction(row: StoredEvaluation) -> str | None:
    """The same for a row whose values are possible on its board.

    Raises:
        KeyValueError: the key is no position's.
    """
    position = Position.from_key(row.key, width=row.width, height=row.height)
    if position.canonical_key != row.key:
        return "the key is not canonical"
    if position.ply != row.ply:
        return f"it has {position.ply} stones, the row says {row.ply}"
    cells = row.width * row.height
    # A game that is over was won by the stone before.
    worst = -((cells + 2 - row.ply) // 2 if position.is_over else (cells - row.ply) // 2)
    if row.lower < worst or row.upper > (cells + 1 - row.ply) // 2:
        return f"no score {row.lower}..{row.upper} is possible after {row.ply} stones"
    known = [score for score in row.scores or () if score is not None]
    if known and not row.lower == row.upper == max(known):
        return f"bounds {row.lower}..{row.upper}, but the best column scores {max(known)}"
    return None
