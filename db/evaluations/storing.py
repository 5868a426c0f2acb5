"""Write evaluations, and read them by key.

Two evaluations of the same position are merged, in Python and by the same rules in SQL:

- If the engine versions differ, the row of the newer version wins: results of the older one are in
  doubt. The other rules are for rows of the same version.
- The tighter bounds win: the greater ``lower`` and the smaller ``upper``.
- A known value of a nullable column, such as the column scores, stays.
- ``nodes`` comes from the row with the tighter bounds. If the bounds are equal, or each row gave
  one of them, the larger number is stored.
- Bounds that cross are a contradiction, and so are column scores that differ.

The merged result does not depend on the order in which workers store their results.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    ColumnElement,
    Double,
    MetaData,
    Table,
    and_,
    bindparam,
    case,
    cast,
    column,
    delete,
    func,
    literal_column,
    not_,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateTable

from c4core.notation import MAX_BITS
from db.errors import ContradictionError
from db.evaluations.rows import (
    COLUMN_NAMES,
    COLUMNS,
    KEY,
    PLACE,
    STORED,
    DriverQuery,
    check_row,
    decode,
    decode_known,
    driver_of,
    encode,
    full_column_bits,
)
from db.migrations import HEAD
from db.models import Evaluation
from db.sql import (
    CLOCK,
    HighHalf,
    LowHalf,
    db_now,
    driver_dialect,
    driver_type,
    insert_into,
    now,
    stored_halves,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy import Connection, FromClause, TableValuedAlias
    from sqlalchemy.dialects import postgresql, sqlite
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.database import NonBlockingReader
    from db.evaluations.rows import ColumnValues
    from db.records.evaluations import StoredEvaluation

LOOKUP_KEYS: Final = 10_000
"""Maximum number of keys in one query."""

_OF_BOARD: Final = (
    Evaluation.width == bindparam("width"),
    Evaluation.height == bindparam("height"),
)

_IMPOSSIBLE: Final[ColumnElement[int]] = literal_column("32767")
"""A lower bound that violates the table's check for every upper bound."""

_CHECK_VIOLATED: Final = "23514"

_KEPT: Final = [column.name for column in STORED if column.nullable]
"""The columns that may be unknown; a known value stays."""

_FEW: Final = 2_000
"""Maximum number of rows that are sent to PostgreSQL in arrays."""

# The name has the revision, because a pooler may give the next version of this program the same
# session, which still has the table.
_INCOMING: Final = f"incoming_{HEAD}"

_incoming: Final = Table(
    _INCOMING,
    MetaData(),
    *(Column(column.name, driver_type(column), nullable=column.nullable) for column in STORED),
    prefixes=["TEMPORARY"],
    postgresql_on_commit="DELETE ROWS",
)


def store(session: Session, board: BoardSize, rows: Sequence[StoredEvaluation]) -> int:
    """Merge rows into the stored ones, and return the number of new or changed rows.

    Bounds only tighten: see :mod:`db.evaluations.storing`. The rows are of one board, in any order,
    and a key may occur several times.

    Raises:
        ContradictionError: a row contradicts the stored one. Nothing of this call was written; the
            transaction can go on.
        ValueError: a row is of another board, its bounds cross, or its column scores are
            incomplete. Nothing was written.
    """
    return send(session, board, rows)()


def send(session: Session, board: BoardSize, rows: Sequence[StoredEvaluation]) -> Callable[[], int]:
    """Send rows to the database; return a function that merges them, as ``store`` does.

    While a client sends many rows, PostgreSQL waits for it without a limit. A transaction therefore
    sends its rows before it locks rows that others need, such as a unit. Errors are as in
    ``store``.
    """
    if not rows:
        return lambda: 0
    distinct = _distinct(rows, board)
    # Sorted by key: neighbours share pages, and two writers lock rows in the same order.
    ordered = sorted(distinct.values())
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        values = encode(ordered, session.execute(select(now(session))).scalar_one())
        merge_sent: Callable[[], int] = partial(_merge_in_sqlite, connection, values)
    else:
        clock = session.info.get(CLOCK)
        merge_sent = _send_to_postgresql(connection, encode(ordered, 0.0), clock and clock())

    def merge_all() -> int:
        try:
            return merge_sent()
        except Exception as error:
            # After any other error, such as a full disk, the transaction cannot go on.
            if not _is_refused(error):
                raise
            for some in _rows(session, board, list(distinct)):
                for row in decode(some):
                    merge(row, distinct[row.key])  # raises for the row that was refused
            raise

    return merge_all


def _distinct(rows: Iterable[StoredEvaluation], board: BoardSize) -> dict[int, StoredEvaluation]:
    """The rows by key, checked; rows of the same key are merged."""
    full_bits = full_column_bits(board)
    distinct: dict[int, StoredEvaluation] = {}
    for row in rows:
        check_row(row, board, full_bits)
        other = distinct.get(row.key)
        distinct[row.key] = row if other is None else merge(other, row)
    return distinct


def merge(stored: StoredEvaluation, incoming: StoredEvaluation) -> StoredEvaluation:
    """Return the evaluation that both rows together prove, or raise ContradictionError."""
    if incoming.engine_version != stored.engine_version:
        return max(stored, incoming, key=lambda row: row.engine_version)
    lower = max(stored.lower, incoming.lower)
    upper = min(stored.upper, incoming.upper)
    differ = None not in (stored.scores, incoming.scores) and stored.scores != incoming.scores
    if lower > upper or differ:
        raise _contradiction(stored, incoming)
    incoming_inside = (lower, upper) == (incoming.lower, incoming.upper)
    stored_inside = (lower, upper) == (stored.lower, stored.upper)
    if incoming_inside and not stored_inside:
        nodes = incoming.nodes
    elif stored_inside and not incoming_inside:
        nodes = stored.nodes
    else:
        nodes = max(stored.nodes, incoming.nodes)
    new = {name: getattr(incoming, name) for name in _KEPT if getattr(stored, name) is None}
    return stored._replace(lower=lower, upper=upper, nodes=nodes, **new)


def _contradiction(stored: StoredEvaluation, incoming: StoredEvaluation) -> ContradictionError:
    return ContradictionError(
        f"contradiction at position {stored.key} of {stored.width}x{stored.height}: "
        f"stored {_describe(stored)}, new {_describe(incoming)}",
        key=stored.key,
        width=stored.width,
        height=stored.height,
    )


def _describe(row: StoredEvaluation) -> str:
    bounds = str(row.lower) if row.is_exact else f"{row.lower} to {row.upper}"
    scores = "" if row.scores is None else f" with column scores {list(row.scores)}"
    return f"score {bounds}{scores} (engine {row.engine_version})"


def _merge_in_sqlite(connection: Connection, rows: Sequence[ColumnValues]) -> int:
    """Merge rows into the stored ones, by one prepared statement for every row."""
    savepoint = connection.begin_nested()
    try:
        changed = connection.exec_driver_sql(_merge_rows(), list(rows)).rowcount
    except IntegrityError:
        savepoint.rollback()
        raise
    savepoint.commit()
    return changed


def _send_to_postgresql(
    connection: Connection, rows: Sequence[ColumnValues], time: float | None
) -> Callable[[], int]:
    """Send rows to PostgreSQL, and return a function that merges them into the stored rows.

    The rows are sorted and have distinct keys; ``time`` replaces the server's in tests. Sending
    locks nothing that others use. The function returns the number of new or changed rows.

    Many rows are sent by COPY into a temporary table: 115,000 to 136,000 rows/s, against 62,000 in
    arrays. A few rows are sent in arrays, because the temporary table takes four round trips. The
    merge and its savepoint take one round trip.
    """
    driver = driver_of(connection)
    values: dict[str, Any] = {"time": time}
    if len(rows) <= _FEW:
        statement = _merge_arrays()
        values |= zip(COLUMN_NAMES, map(list, zip(*rows, strict=True)), strict=True)
    else:
        statement = _merge_sent()
        connection.execute(CreateTable(_incoming, if_not_exists=True))
        connection.execute(delete(_incoming))  # rows of an earlier call in the same transaction
        with (
            driver.cursor() as cursor,
            cursor.copy(f"COPY {_INCOMING} FROM STDIN (FORMAT BINARY)") as copy,
        ):
            copy.set_types(_copy_types())
            for row in rows:
                copy.write_row(row)

    def merge_sent() -> int:
        try:
            with driver.pipeline():
                driver.execute("SAVEPOINT merging")
                cursor = driver.execute(statement, values)
                driver.execute("RELEASE merging")
        except Exception as error:
            if _is_refused(error):
                driver.execute("ROLLBACK TO merging")
            raise
        changed: int = cursor.rowcount
        return changed

    return merge_sent


def _is_refused(error: Exception) -> bool:
    """Whether the check of the bounds has refused a row."""
    return isinstance(error, IntegrityError) or getattr(error, "sqlstate", None) == _CHECK_VIOLATED


@cache
def _merge_rows() -> str:
    """SQLite's statement that merges one row, in the driver's form."""
    insert = insert_into("sqlite", Evaluation).values(
        {name: bindparam(name) for name in COLUMN_NAMES}
    )
    return str(_merging(insert).compile(dialect=driver_dialect("sqlite", by_name=False)))


@cache
def _merge_arrays() -> str:
    """PostgreSQL's statement that merges rows from arrays, in the driver's form."""
    columns = [(column.name, driver_type(column)) for column in STORED]
    arrays = func.unnest(*(bindparam(name, type_=ARRAY(kind)) for name, kind in columns))
    incoming = arrays.table_valued(*(column(name, kind) for name, kind in columns), name="incoming")
    return _merge_from(incoming.render_derived())


@cache
def _merge_sent() -> str:
    """PostgreSQL's statement that merges the rows of the temporary table, in the driver's form."""
    return _merge_from(_incoming)


def _merge_from(incoming: FromClause) -> str:
    # Sorted by key, so that two transactions lock the same rows in the same order.
    time: ColumnElement[float] = func.coalesce(bindparam("time", type_=Double()), db_now())
    columns = [time if name == "updated_at" else incoming.c[name] for name in COLUMN_NAMES]
    rows = select(*columns).order_by(*(incoming.c[half.name] for half in KEY))
    insert = insert_into("postgresql", Evaluation).from_select(list(COLUMN_NAMES), rows)
    return str(_merging(insert).compile(dialect=driver_dialect("postgresql")))


@cache
def _copy_types() -> list[str]:
    """The types of the columns: binary COPY converts nothing."""
    dialect = driver_dialect("postgresql")
    return [column.type.compile(dialect=dialect).lower() for column in _incoming.columns]


def _merging(insert: postgresql.Insert | sqlite.Insert) -> postgresql.Insert | sqlite.Insert:
    """Add the rules of :func:`merge` to an INSERT; a contradiction violates the table's check."""
    stored, incoming = Evaluation.__table__.c, insert.excluded
    incoming_inside = and_(incoming.lower >= stored.lower, incoming.upper <= stored.upper)
    stored_inside = and_(incoming.lower <= stored.lower, incoming.upper >= stored.upper)
    replaces = incoming.engine_version > stored.engine_version
    scores_differ = incoming.scores != stored.scores  # never true if one is NULL
    values: dict[str, Any] = {
        "lower": case(
            (replaces, incoming.lower),
            (scores_differ, _IMPOSSIBLE),
            (incoming.lower > stored.lower, incoming.lower),
            else_=stored.lower,
        ),
        "upper": case(
            (or_(replaces, incoming.upper < stored.upper), incoming.upper), else_=stored.upper
        ),
        "nodes": case(
            (or_(replaces, and_(incoming_inside, not_(stored_inside))), incoming.nodes),
            (and_(stored_inside, not_(incoming_inside)), stored.nodes),
            (incoming.nodes > stored.nodes, incoming.nodes),
            else_=stored.nodes,
        ),
        "engine_version": incoming.engine_version,
    }
    for name in _KEPT:
        values[name] = case(
            (or_(replaces, stored[name].is_(None)), incoming[name]), else_=stored[name]
        )
    values["updated_at"] = incoming.updated_at
    changes = or_(
        replaces,
        and_(
            incoming.engine_version == stored.engine_version,
            or_(
                not_(stored_inside),
                and_(incoming_inside, incoming.nodes > stored.nodes),
                scores_differ,
                *(and_(stored[name].is_(None), incoming[name].is_not(None)) for name in _KEPT),
            ),
        ),
    )
    return insert.on_conflict_do_update(
        index_elements=[column.name for column in PLACE], set_=values, where=changes
    )


def lookup(session: Session, board: BoardSize, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
    """Look up known evaluations by canonical key; unknown keys are left out.

    An evaluation is known if this version of the engine found it.
    """
    found: dict[int, StoredEvaluation] = {}
    for rows in _rows(session, board, keys):
        found.update((row.key, row) for row in decode_known(rows))
    return found


def _rows(
    session: Session, board: BoardSize, keys: Sequence[int]
) -> Iterator[Sequence[ColumnValues]]:
    connection = session.connection()
    dialect = connection.dialect.name
    query = _lookup_query(dialect)
    for start in range(0, len(keys), LOOKUP_KEYS):
        chosen = _keys_parameters(keys[start : start + LOOKUP_KEYS], dialect)
        yield query.rows(connection, **board._asdict(), **chosen)


def find(session: Session, board: BoardSize, key: int) -> StoredEvaluation | None:
    """Return the known evaluation of a canonical key, as :func:`lookup` defines it, or None."""
    connection = session.connection()
    query = _find_query(connection.dialect.name)
    rows = query.rows(connection, **_place(board, key))
    return next(iter(decode_known(rows)), None)


def find_without_waiting(
    reader: NonBlockingReader, board: BoardSize, key: int
) -> StoredEvaluation | None:
    """Find an evaluation, as :func:`find`, without waiting for other connections.

    Raises:
        BusyError: it would have to wait.
        StorageError: the database cannot be read.
    """
    query = _find_query("sqlite")
    rows = reader.read(lambda driver: query.rows_of(driver, **_place(board, key)))
    return next(iter(decode_known(rows)), None)


def _place(board: BoardSize, key: int) -> dict[str, int]:
    return {**board._asdict(), "key": LowHalf.store(key), "key_high": HighHalf.store(key)}


def _key_among(dialect: str) -> ColumnElement[bool]:
    """The condition that a row's key is among the keys of :func:`_keys_parameters`.

    A parameter holds any number of keys, so one prepared statement is enough for all numbers.
    """
    if dialect == "sqlite":
        by_high = func.json_each(bindparam("keys")).table_valued("key", "value", name="by_high")
        low = func.json_each(by_high.c.value).table_valued(
            "value", name="low", joins_implicitly=True
        )
        return tuple_(*KEY).in_(select(cast(by_high.c.key, BigInteger), low.c.value))
    _, halves = _wanted_keys()
    return tuple_(*KEY).in_(select(*halves))


def _keys_parameters(keys: Iterable[int], dialect: str) -> dict[str, Any]:
    """The parameters of a query for some keys; sorted, so that neighbours are read together.

    SQLite gets one JSON object, the low halves by their high half. PostgreSQL gets two arrays; an
    empty one stands for high halves that are all 0, and saves an eighth of the client's time.
    """
    ordered = sorted(keys)
    highs, lows = map(list, stored_halves(ordered))
    if dialect != "sqlite":
        return {"keys": lows, "key_highs": highs if any(highs) else []}
    lows_of: dict[int, list[int]] = {}
    start = 0
    while start < len(ordered):
        next_high = (ordered[start] >> MAX_BITS // 2) + 1
        end = bisect_left(ordered, next_high << MAX_BITS // 2, start)
        lows_of[highs[start]] = lows[start:end]
        start = end
    return {"keys": json.dumps(lows_of)}


def _wanted_keys() -> tuple[TableValuedAlias, tuple[ColumnElement[int], ColumnElement[int]]]:
    """The parameters of PostgreSQL as a table, and its columns in the order of KEY."""
    kind = ARRAY(BigInteger)
    arrays = func.unnest(bindparam("key_highs", type_=kind), bindparam("keys", type_=kind))
    columns = (column("key_high", BigInteger), column("key", BigInteger))
    wanted = arrays.table_valued(*columns, name="wanted").render_derived()
    return wanted, (func.coalesce(wanted.c.key_high, 0), wanted.c.key)


@cache
def _find_query(dialect: str) -> DriverQuery:
    is_key = (half == bindparam(half.name, type_=BigInteger) for half in KEY)
    return DriverQuery(select(*COLUMNS).where(*_OF_BOARD, *is_key), dialect)


@cache
def _lookup_query(dialect: str) -> DriverQuery:
    """The query for the rows of keys.

    Its parameters are ``width``, ``height`` and the result of :func:`_keys_parameters`.
    """
    of_board = select(*COLUMNS).where(*_OF_BOARD)
    if dialect == "sqlite":
        return DriverQuery(of_board.where(_key_among(dialect)), dialect)
    # One descent into the index for each key, independent of the statistics. With `= ANY` and a
    # table that was filled a moment ago, PostgreSQL reads all rows of the board if there are a
    # hundred keys or more. Measured with 40,000 rows: 210 microseconds a key, against 3 this way.
    wanted, halves = _wanted_keys()
    is_wanted = and_(*(half == other for half, other in zip(KEY, halves, strict=True)))
    found = of_board.where(is_wanted).offset(literal_column("0")).lateral("found")
    rows = select(*found.c).select_from(wanted.join(found, true()))
    return DriverQuery(rows, dialect)
