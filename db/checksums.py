"""A checksum in every row, so that ``c4 db check`` notices when what was stored has changed.

There are two kinds:

- The column ``checksum`` is generated: the database computes it from the other columns whenever
  it writes the row, so that no statement can forget it. Numbers go into a
  sum. SQLite has no function that hashes a text, so texts, which are short, are repeated
  behind the sum. Bits that flip afterwards, in a value or in its sum, make the two disagree.
- Long values carry a seal of their own, of 32 bits, which is written by the column's type
  (:mod:`db.types`): JSON objects, and the scores of columns.

Together they cover every column but those that say why they are in neither: see
``CHECKED_OTHERWISE``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Double,
    LargeBinary,
    String,
    Text,
    and_,
    cast,
    false,
    func,
    or_,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import ColumnElement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Column, Table
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.compiler import SQLCompiler

CHECKSUM: Final = "checksum"
"""The name of the generated column."""

CHECKED_OTHERWISE: Final = "checked_otherwise"
"""In the ``info`` of a column that is not in the generated checksum: what notices its changes
instead, or why nobody has to."""

_MODULUS: Final = 2_147_483_647
# Prime, and no power of two is 0 modulo it: a flipped bit of a 64-bit number always shows.

_SCALE: Final = 16_777_216
# 2**24: epoch seconds times this are whole numbers, exactly. Durations are smaller numbers; their
# rest is scaled once more, down to 2**-72.

_MAX_SECONDS: Final = "5e11"
# Times _SCALE it is less than 2**63.

_TIMES: Final = ("_at", "_until")
# How the names of columns end that hold epoch seconds.


class RowChecksum(ColumnElement[Any]):
    """The SQL expression of a table's checksum: a number, or a text where there are texts.

    Nothing overflows: every term is less than 2**31. The terms have no weights: these would show
    exchanged values, too, but would cost upserts in SQLite another 4 %.

    Args:
        columns: of the table, all of them.
    """

    inherit_cache = False

    def __init__(self, columns: Sequence[Column[Any]]) -> None:
        self.columns = [
            column
            for column in columns
            if column.name != CHECKSUM and CHECKED_OTHERWISE not in column.info
        ]
        self.type = Text() if any(map(_is_text, self.columns)) else BigInteger()


def has_changed(session: Session, table: Table) -> ColumnElement[bool]:
    """Whether a row has a wrong checksum, or a value of another type than its column's."""
    columns = list(table.columns)
    differs = table.c[CHECKSUM].is_distinct_from(RowChecksum(columns))
    return or_(differs, wrong_types(session, columns))


def wrong_types(session: Session, columns: Sequence[Column[Any]]) -> ColumnElement[bool]:
    """Whether a row has a value of another type than its column's.

    SQLite takes any value in any column. PostgreSQL does not.
    """
    if session.get_bind().dialect.name != "sqlite":
        return false()
    conditions = []
    for column in columns:
        kind = getattr(column.type, "impl", column.type)
        name = "integer"
        for kinds, told in (((Double,), "real"), ((String,), "text"), ((LargeBinary,), "blob")):
            if isinstance(kind, kinds):
                name = told
        differs = func.typeof(column) != name
        conditions.append(and_(column.is_not(None), differs) if column.nullable else differs)
        if isinstance(kind, Boolean):
            conditions.append(cast(column, Text).not_in(["0", "1"]))
    return or_(*conditions)


@compiles(RowChecksum)
def _compile(element: RowChecksum, compiler: SQLCompiler, **options: object) -> str:
    del options
    dialect = compiler.dialect.name
    terms: list[str] = []
    texts: list[str] = []
    for column in element.columns:
        if _is_text(column):
            texts.append(_text(column))
        else:
            terms += [
                f"COALESCE({term}, -1)" if column.nullable else term
                for term in _numbers(column, dialect)
            ]
    number = " + ".join(terms) or "0"
    return " || ".join([f"CAST({number} AS TEXT)", *texts]) if texts else f"({number})"


def _is_text(column: Column[Any]) -> bool:
    kind = getattr(column.type, "impl", column.type)
    return isinstance(kind, String)


def _text(column: Column[Any]) -> str:
    if not column.nullable:
        return f"'=' || {column.name}"
    return f"CASE WHEN {column.name} IS NULL THEN '-' ELSE '=' || {column.name} END"


def _numbers(column: Column[Any], dialect: str) -> list[str]:
    """A column's value as whole numbers less than 2**31."""
    name = column.name
    kind = getattr(column.type, "impl", column.type)
    if isinstance(kind, Double):
        scaled = f"{_clamped(name, dialect)} * {_SCALE}"
        if name.endswith(_TIMES):
            return [_modulo(_whole(scaled, dialect), dialect)]
        rest = f"({scaled} - {_whole(scaled, dialect)}) * {_SCALE * _SCALE}"
        return [_modulo(_whole(part, dialect), dialect) for part in (scaled, rest)]
    if isinstance(kind, BigInteger):
        return [_modulo(name, dialect)]
    if dialect == "sqlite":
        return [name]
    return [
        f"CAST(CAST({name} AS INTEGER) AS BIGINT)"
        if isinstance(kind, Boolean)
        else f"CAST({name} AS BIGINT)"
    ]


def _clamped(name: str, dialect: str) -> str:
    """A floating-point column that can be scaled to a whole number of 64 bits.

    SQLite clamps such numbers by itself. PostgreSQL would refuse the row, so there all times above
    5e11 s, infinity and NaN give the same checksum, and changes among them go unnoticed.
    """
    if dialect == "sqlite":
        return name
    limit = _MAX_SECONDS
    cases = f"WHEN {name} > {limit} THEN {limit} WHEN {name} < -{limit} THEN -{limit}"
    return f"CASE {cases} ELSE {name} END"


def _whole(number: str, dialect: str) -> str:
    """A floating-point number without its fraction."""
    return (
        f"CAST({number} AS INTEGER)" if dialect == "sqlite" else f"CAST(TRUNC({number}) AS BIGINT)"
    )


def _modulo(number: str, dialect: str) -> str:
    # PostgreSQL gets the function, which not every SQLite has, because some statements need "%%".
    return f"{number} % {_MODULUS}" if dialect == "sqlite" else f"MOD({number}, {_MODULUS})"
