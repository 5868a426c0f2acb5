"""Helpers for several migrations. All of them are frozen: existing databases depend on them.

The formula of checksums is that of :class:`db.types.RowChecksum`; a test compares the two. Another
formula would need a migration of every table, and another function here.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

ROW_ID: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""The type of row numbers."""

SEAL_LENGTH: Final = 15
SEAL_BYTES: Final = 4


def create_unit_index(name: str, columns: list[str], condition: str) -> None:
    """Create an index over the units that meet a condition."""
    where = sa.text(condition)
    op.create_index(op.f(name), "units", columns, sqlite_where=where, postgresql_where=where)


def checksum_column(columns: str) -> sa.Column[Any]:
    """The column ``checksum`` of a new table; for ``columns`` see :func:`checksum`."""
    expression, kind = checksum(columns, op.get_bind().dialect.name)
    made = sa.Computed(expression, persisted=True)
    return sa.Column("checksum", sa.Text() if kind == "TEXT" else sa.BigInteger(), made)


def rebuild(table: str, columns: str, sealed: dict[str, str]) -> None:
    """Recreate a table of SQLite with a checksum; its indexes stay as they are.

    SQLite cannot add a stored generated column to a table. Triggers stay as well; only users create
    them. ``columns`` is as for :func:`checksum`; ``sealed`` has expressions for columns that get
    other values.
    """
    (table_sql,) = made(table, "table")
    expression, kind = checksum(columns, "sqlite")
    column = f"\n\tchecksum {kind} GENERATED ALWAYS AS ({expression}) STORED"
    new_sql = re.sub(r",\s*(CONSTRAINT)", rf", {column}, \n\t\1", table_sql, count=1)
    replace(table, new_sql, {name: sealed.get(name, f'"{name}"') for name in written(table)})


def made(table: str, kind: str) -> list[str]:
    """The statements that created an SQLite table, its indexes or its triggers."""
    query = (
        "SELECT sql FROM sqlite_schema WHERE tbl_name = :table AND type = :kind AND sql NOT NULL"
    )
    return list(op.get_bind().scalars(sa.text(query), {"table": table, "kind": kind}))


def written(table: str) -> list[str]:
    """The names of an SQLite table's columns, without generated ones."""
    return [row.name for row in op.get_bind().execute(sa.text(f"PRAGMA table_info({table})"))]


def replace(table: str, new_sql: str, values: dict[str, str], where: str = "TRUE") -> None:
    """Replace an SQLite table: create it by another statement, and copy rows.

    ``values`` has an expression for each copied column. Indexes and triggers stay.
    """
    other_sql = [*made(table, "index"), *made(table, "trigger")]
    new_sql = re.sub(rf'^CREATE TABLE "?{table}"?', f"CREATE TABLE new_{table}", new_sql)
    names = ", ".join(f'"{name}"' for name in values)
    chosen = f"SELECT {', '.join(values.values())} FROM {table} WHERE {where}"  # noqa: S608
    driver: Any = op.get_bind().connection.dbapi_connection
    for statement in (
        # Views name the table while it does not exist.
        "PRAGMA legacy_alter_table = ON",
        new_sql,
        f"INSERT INTO new_{table} ({names}) {chosen}",
        f"DROP TABLE {table}",
        f"ALTER TABLE new_{table} RENAME TO {table}",
        *other_sql,
    ):
        driver.execute(statement)


def checksum(columns: str, dialect: str) -> tuple[str, str]:
    """The expression of a table's checksum, and its type.

    ``columns`` lists its columns as ``name:kind``. The kind is int, big int, double, boolean (o) or
    text, followed by ``?`` if the column may be NULL.
    """
    terms: list[str] = []
    texts: list[str] = []
    for description in columns.split():
        name, _, kind = description.rstrip("?").partition(":")
        nullable = description.endswith("?")
        if kind == "t":
            value = f"'=' || {name}"
            null = f"CASE WHEN {name} IS NULL THEN '-' ELSE {value} END"
            texts.append(null if nullable else value)
            continue
        terms += [
            f"COALESCE({term}, -1)" if nullable else term for term in numbers(name, kind, dialect)
        ]
    number = " + ".join(terms)
    if texts:
        return " || ".join([f"CAST({number} AS TEXT)", *texts]), "TEXT"
    return f"({number})", "BIGINT"


def numbers(name: str, kind: str, dialect: str) -> list[str]:
    """The value of a column as whole numbers."""
    if kind == "d":
        scaled = f"{clamped(name, dialect)} * 16777216"
        if name.endswith(("_at", "_until")):
            return [modulo(whole(scaled, dialect), dialect)]
        rest = f"({scaled} - {whole(scaled, dialect)}) * 281474976710656"
        return [modulo(whole(part, dialect), dialect) for part in (scaled, rest)]
    if kind == "b":
        return [modulo(name, dialect)]
    if dialect == "sqlite":
        return [name]
    return [
        f"CAST(CAST({name} AS INTEGER) AS BIGINT)" if kind == "o" else f"CAST({name} AS BIGINT)"
    ]


def clamped(name: str, dialect: str) -> str:
    """A floating-point column that can be scaled to a whole number of 64 bits.

    SQLite clamps numbers to that range. PostgreSQL refuses the row, so changes beyond 5e11 s are
    not detected there.
    """
    if dialect == "sqlite":
        return name
    return f"CASE WHEN {name} > 5e11 THEN 5e11 WHEN {name} < -5e11 THEN -5e11 ELSE {name} END"


def whole(number: str, dialect: str) -> str:
    """A floating-point number without its fraction."""
    return (
        f"CAST({number} AS INTEGER)" if dialect == "sqlite" else f"CAST(TRUNC({number}) AS BIGINT)"
    )


def modulo(number: str, dialect: str) -> str:
    """A whole number modulo a prime."""
    return f"{number} % 2147483647" if dialect == "sqlite" else f"MOD({number}, 2147483647)"


def sealed_object(stored: bytes) -> str | None:
    """A JSON object with its seal; None if it is not a JSON object."""
    try:
        text = stored.decode()
    except UnicodeDecodeError:
        return None
    if not text.endswith("}"):
        return None
    body = text[:-1] + ("," if len(text) > len("{}") else "")
    return f'{body}"#":"{hashlib.sha256(body.encode()).hexdigest()[: 2 * SEAL_BYTES]}"}}'


def sealed_scores(data: bytes) -> bytes:
    """Column scores with their seal."""
    return data + zlib.adler32(data).to_bytes(SEAL_BYTES)


SQLITE_KEY: Final = """CASE WHEN {key} < 0 THEN {key} + 9223372036854775807 + 1
        WHEN {key} >= 0 THEN printf('%u', {key} - 9223372036854775807 - 1) END"""
# A whole number; a text if the number is too large for SQLite.

POSTGRESQL_KEY: Final = "CAST({key} AS NUMERIC) + 9223372036854775808"

SQLITE_TIME: Final = "strftime('%Y-%m-%d %H:%M:%S', {time}, 'unixepoch')"
POSTGRESQL_TIME: Final = "date_trunc('second', to_timestamp({time}) AT TIME ZONE 'UTC')"

SQLITE_SCORES: Final = """(
        WITH RECURSIVE bytes (n, byte) AS (
            SELECT 1, CASE WHEN scores IS NULL THEN NULL ELSE hex(substr(scores, 1, 1)) END
            UNION ALL SELECT n + 1, hex(substr(scores, n + 1, 1)) FROM bytes
            WHERE n < width AND byte NOT NULL
        ), numbers (n, score) AS (
            SELECT n, (instr('0123456789ABCDEF', substr(byte, 1, 1)) - 1 + 8) % 16 * 16
                + instr('0123456789ABCDEF', substr(byte, 2, 1)) - 1 - 128 FROM bytes
            WHERE byte NOT NULL
        ){rest}
    )"""

SQLITE_ALL_SCORES: Final = SQLITE_SCORES.format(
    rest=""", texts (n, list) AS (
            SELECT 0, '' UNION ALL SELECT numbers.n, ltrim(list || ' '
                || CASE score WHEN -128 THEN '.' ELSE score END)
            FROM texts JOIN numbers ON numbers.n = texts.n + 1
        ) SELECT list FROM texts WHERE n = width"""
)

SQLITE_BEST: Final = SQLITE_SCORES.format(
    rest=""", texts (n, list) AS (
            SELECT 0, '' UNION ALL SELECT numbers.n,
                CASE WHEN score = lower THEN ltrim(list || ' ' || numbers.n) ELSE list END
            FROM texts JOIN numbers ON numbers.n = texts.n + 1
        ) SELECT list FROM texts WHERE n = width"""
)

POSTGRESQL_BYTE: Final = "(get_byte(scores, n) + 128) % 256 - 128"

POSTGRESQL_ALL_SCORES: Final = f"""(
        SELECT string_agg(CASE {POSTGRESQL_BYTE} WHEN -128 THEN '.'
            ELSE CAST({POSTGRESQL_BYTE} AS TEXT) END, ' ' ORDER BY n)
        FROM generate_series(0, width - 1) AS n WHERE scores IS NOT NULL
    )"""  # noqa: S608 (constants)

POSTGRESQL_BEST: Final = f"""(
        SELECT string_agg(CAST(n + 1 AS TEXT), ' ' ORDER BY n)
        FROM generate_series(0, width - 1) AS n
        WHERE scores IS NOT NULL AND {POSTGRESQL_BYTE} = lower
    )"""  # noqa: S608 (constants)


def views(
    key: str, time: str, all_scores: str, best: str, *, seed: str | None = None
) -> tuple[str, str, str]:
    """The statements that create the views, in the SQL of one database.

    ``seed`` is the expression for a number without a high half; by default ``key``.
    """
    positions = f"""
CREATE VIEW c4_positions AS SELECT
    width || 'x' || height AS board,
    {key.format(key="key", high="key_high")} AS key,
    ply,
    CASE ply % 2 WHEN 0 THEN 'x' ELSE 'o' END AS side,
    lower,
    upper,
    CASE WHEN lower = upper THEN lower END AS score,
    CASE WHEN lower > 0 THEN 'win' WHEN upper < 0 THEN 'loss'
        WHEN lower = 0 AND upper = 0 THEN 'draw' END AS value,
    {all_scores} AS column_scores,
    {best} AS best_columns,
    nodes,
    engine_version,
    {time.format(time="updated_at")} AS updated
FROM evaluations"""  # noqa: S608
    games = f"""
CREATE VIEW c4_games AS SELECT
    games.match_id AS match,
    games.number AS number,
    matches.label AS label,
    matches.width || 'x' || matches.height AS board,
    CASE WHEN a_is_x THEN player_a ELSE player_b END AS player_x,
    CASE WHEN a_is_x THEN player_b ELSE player_a END AS player_o,
    CASE WHEN ending = 'unfinished' THEN NULL WHEN winner = 1 THEN 'x' WHEN winner = -1 THEN 'o'
        ELSE 'draw' END AS winner,
    ending,
    detail,
    length,
    moves,
    {key.format(key="final_key", high="final_key_high")} AS final_key,
    {(seed or key).format(key="seed")} AS seed,
    x_seconds,
    o_seconds
FROM games JOIN matches ON games.match_id = matches.id"""  # noqa: S608
    jobs = f"""
CREATE VIEW c4_jobs AS SELECT
    jobs.id AS job,
    kind,
    label,
    width || 'x' || height AS board,
    state,
    priority,
    (SELECT count(*) FROM units WHERE job_id = jobs.id) AS units,
    (SELECT count(*) FROM units WHERE job_id = jobs.id AND state = 'done') AS units_done,
    (SELECT count(*) FROM units WHERE job_id = jobs.id AND state = 'failed') AS units_failed,
    (SELECT coalesce(sum(positions), 0) FROM units WHERE job_id = jobs.id) AS positions,
    (SELECT coalesce(sum(positions), 0) FROM units WHERE job_id = jobs.id AND state = 'done')
        AS positions_done,
    engine_version,
    {time.format(time="created_at")} AS created,
    {time.format(time="started_at")} AS started,
    {time.format(time="finished_at")} AS finished
FROM jobs"""  # noqa: S608
    return positions, games, jobs


VIEWS: Final = {
    "sqlite": views(SQLITE_KEY, SQLITE_TIME, SQLITE_ALL_SCORES, SQLITE_BEST),
    "postgresql": views(POSTGRESQL_KEY, POSTGRESQL_TIME, POSTGRESQL_ALL_SCORES, POSTGRESQL_BEST),
}

SQLITE_FIRST: Final = "(a % 1000000000 * 4294967296 + b)"
SQLITE_SECOND: Final = f"({SQLITE_FIRST} % 1000000000 * 4294967296 + c)"
SQLITE_THIRD: Final = f"({SQLITE_SECOND} % 1000000000 * 4294967296 + d)"

SQLITE_WHOLE_KEY: Final = f"""CASE WHEN {{high}} = 0 THEN {SQLITE_KEY} ELSE (
        WITH RECURSIVE parts (a, b, c, d, digits) AS (
            SELECT {{high}} >> 32 & 4294967295, {{high}} & 4294967295,
                ({{key}} >> 32) + 2147483648, {{key}} & 4294967295, ''
            UNION ALL SELECT a / 1000000000, {SQLITE_FIRST} / 1000000000,
                {SQLITE_SECOND} / 1000000000, {SQLITE_THIRD} / 1000000000,
                printf('%09d', {SQLITE_THIRD} % 1000000000) || digits
            FROM parts WHERE a + b + c + d > 0
        ) SELECT ltrim(digits, '0') FROM parts WHERE a + b + c + d = 0
    ) END"""  # noqa: S608 (constants)
# A number of four 32-bit parts is divided by 10^9 until it is 0.

POSTGRESQL_WHOLE_KEY: Final = f"""CASE WHEN {{high}} = 0 THEN {POSTGRESQL_KEY} ELSE {POSTGRESQL_KEY}
        + (CAST({{high}} AS NUMERIC) + CASE WHEN {{high}} < 0 THEN 18446744073709551616 ELSE 0 END)
        * 18446744073709551616 END"""

VIEWS_OF_WHOLE_KEYS: Final = {
    "sqlite": views(SQLITE_WHOLE_KEY, SQLITE_TIME, SQLITE_ALL_SCORES, SQLITE_BEST, seed=SQLITE_KEY),
    "postgresql": views(
        POSTGRESQL_WHOLE_KEY,
        POSTGRESQL_TIME,
        POSTGRESQL_ALL_SCORES,
        POSTGRESQL_BEST,
        seed=POSTGRESQL_KEY,
    ),
}
"""The views of a schema whose keys have two halves."""
