"""Column types whose stored form differs from Python's values, and the checksums of rows.

``c4 db check`` detects stored values that have changed. There are two kinds of checksums:

- The column ``checksum`` is generated: the database computes it from the other columns whenever it
  writes the row, so that no statement can omit it. Numbers go into a sum. SQLite has no function
  that hashes a text, so texts, which are short, are repeated after the sum. If bits flip
  afterwards, in a value or in its sum, the two disagree.
- Long values have a seal of their own, of 32 bits, which the column's type writes: JSON objects,
  and the scores of columns.

Together they cover every column, except columns whose ``info`` has ``CHECKED_OTHERWISE``.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from functools import lru_cache, partial
from itertools import repeat
from operator import add
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
from sqlalchemy.types import TypeDecorator

from c4core.notation import MAX_BITS
from db.errors import DamagedValueError
from db.sql import dialect_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from sqlalchemy import Column, Dialect, Table
    from sqlalchemy.orm import InstrumentedAttribute, Session
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.types import TypeEngine

KEY_SHIFT: Final = 1 << 63
"""Offset of a stored unsigned number: the number is the stored one plus KEY_SHIFT."""

_HALF_BITS: Final = MAX_BITS // 2
_LOW_HALF: Final = (1 << _HALF_BITS) - 1

UNPLAYABLE: Final = -128
"""The stored value of a full column; the same number as in the engine's batches."""

MOST_PACKED: Final = 1 << 21
"""Maximum size of packed bytes after unpacking, so that no database can fill the memory. A deep
job's bounds on a wide board are the largest: 1.2 MB."""

_SEAL_BYTES: Final = 4

_SHOWN: Final = 60
"""Maximum number of characters of a damaged text that an error shows."""

SEAL_LENGTH: Final = len(',"#":"01234567"}') - 1
"""Number of characters that the seal of a JSON object adds to its text, apart from a comma."""

_dump = json.JSONEncoder(separators=(",", ":")).encode

CHECKSUM: Final = "checksum"
"""The name of the generated column."""

CHECKED_OTHERWISE: Final = "checked_otherwise"
"""Key in the ``info`` of a column outside the checksum: which check covers it, or why none does."""

_MODULUS: Final = 2_147_483_647
# Prime, and no power of two is 0 modulo it: a flipped bit of a 64-bit number always changes it.

_SCALE: Final = 16_777_216
# 2**24: epoch seconds times this are exact whole numbers. Durations are smaller; their rest is
# scaled once more, down to 2**-72.

_MAX_SECONDS: Final = "5e11"
# Times _SCALE it is less than 2**63.

_TIMES: Final = ("_at", "_until")
# Suffixes of the names of columns that contain epoch seconds.


def driver_type(column: Column[Any]) -> TypeEngine[Any]:
    """The type of a column for the driver."""
    found: TypeEngine[Any] = getattr(column.type, "impl", column.type)
    return found


class Converted(TypeDecorator[Any]):
    """A type whose values are converted by a function each way; NULL is always None."""

    store: Callable[[Any], Any]
    load: Callable[[Any], Any]
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401
        """Convert Python's value to the column's."""
        del dialect
        return None if value is None else self.store(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401
        """Convert the column's value to Python's."""
        del dialect
        return None if value is None else self.load(value)


class Unsigned(Converted):
    """An unsigned 64-bit number in a signed 64-bit column, in the same order.

    Subtracting 2**63 keeps the order. In two's complement numbers from 2**63 on would come first.
    """

    impl = BigInteger
    cache_ok = True
    store = partial(add, -KEY_SHIFT)
    load = partial(add, KEY_SHIFT)


def _store_low(key: int) -> int:
    return (key & _LOW_HALF) - KEY_SHIFT


def _store_high(key: int) -> int:
    high = key >> _HALF_BITS
    return high if high < KEY_SHIFT else high - (1 << _HALF_BITS)


def _load_high(stored: int) -> int:
    return (stored & _LOW_HALF) << _HALF_BITS


class LowHalf(Unsigned):
    """The low 64 bits of a position's key, as :class:`Unsigned`.

    A key has two columns. Both are given the complete key, and each stores its half. The sum of
    their loaded values is the key.
    """

    cache_ok = True
    # mypy compares the staticmethod object, not its function, with the parent's function.
    store = staticmethod(_store_low)  # type: ignore[assignment]


class HighHalf(Converted):
    """The high 64 bits of a position's key in two's complement; see :class:`LowHalf`.

    They are 0 on every board of up to 64 bits, which SQLite stores without a byte. Keys are stored
    in their order, except that keys from 2**127 on, of boards of exactly 128 bits, come first.
    """

    impl = BigInteger
    cache_ok = True
    store = staticmethod(_store_high)
    load = staticmethod(_load_high)


def stored_halves(keys: Collection[int]) -> tuple[Iterable[int], Iterable[int]]:
    """The high and the low halves of keys as their columns store them."""
    if max(keys, default=0) <= _LOW_HALF:  # twice as fast, and true for most boards
        return repeat(0, len(keys)), map(Unsigned.store, keys)
    return map(_store_high, keys), map(_store_low, keys)


def _dump_sealed(o: Any) -> str:  # noqa: ANN401
    return seal_object(_dump(o))


def seal_object(text: str) -> str:
    """Add the seal to the text of a JSON object."""
    body = text[:-1] + ("," if len(text) > len("{}") else "")
    return f'{body}"#":"{_seal_text(body)}"}}'


def unseal_object(text: str, *, needs_seal: bool = False) -> Any:  # noqa: ANN401
    """Decode a JSON object and remove its seal, which is optional unless ``needs_seal``."""
    value = _parse(text)
    if not isinstance(value, dict):
        raise DamagedValueError(f"a stored JSON object is damaged: {_shown(text)}")
    told = value.pop("#", None)
    if told is None and not needs_seal:
        return value
    body = text[:-SEAL_LENGTH]
    if f'{body}"#":"{_seal_text(body)}"}}' != text:
        raise DamagedValueError(f"a stored JSON object is damaged: {_shown(text)}")
    return value


def as_stored(
    session: Session, column: ColumnElement[Any] | InstrumentedAttribute[Any]
) -> ColumnElement[Any]:
    """A column in a form that can always be read without an error: bytes in SQLite, else text."""
    return cast(column, LargeBinary() if dialect_of(session) == "sqlite" else Text())


def unseal_stored(stored: str | bytes, *, needs_seal: bool = False) -> Any:  # noqa: ANN401
    """Decode a JSON object read :func:`as_stored`. Arguments and errors as in `unseal_object`."""
    try:
        text = stored.decode() if isinstance(stored, bytes) else stored
    except UnicodeDecodeError:
        raise DamagedValueError(f"a stored JSON text is not UTF-8: {_shown(stored)}") from None
    return unseal_object(text, needs_seal=needs_seal)


def _seal_text(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[: 2 * _SEAL_BYTES]


def _parse(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise DamagedValueError(f"a stored JSON text is damaged: {_shown(text)}") from None


def _shown(text: object) -> str:
    """The beginning of a damaged text, in one line."""
    shown = ascii(text)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."


class JsonText(Converted):
    r"""A short JSON array as text, byte for byte the same in every database.

    It is not PostgreSQL's JSON, because no SQL reads it. Only text preserves what users send in a
    :class:`JsonObject`: ``json`` refuses NaN, ``jsonb`` reorders fields and refuses ``\u0000``.
    """

    impl = Text
    cache_ok = True
    store = staticmethod(_dump)
    load = staticmethod(_parse)


class JsonObject(JsonText):
    """A JSON object as text, which ends with its seal: ``{"a":1,"#":"880e9c79"}``.

    The seal is the beginning of the SHA-256 of the text before the seal's own name. Texts from
    other programs may have no seal.
    """

    cache_ok = True
    store = staticmethod(_dump_sealed)
    load = staticmethod(unseal_object)


class PlainText(TypeDecorator[str]):
    """Text for users: labels, names, reasons. Characters that a database refuses are replaced.

    These are lone surrogates, which Python creates from bytes that are not UTF-8 on a command line
    or in a file's name; and in PostgreSQL also NUL.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace the characters that cannot be stored."""
        del dialect
        if value is None:
            return None
        whole = value.encode(errors="replace").decode()
        return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def pack_scores(scores: tuple[int | None, ...] | None) -> bytes | None:
    """Encode a position's column scores for storage."""
    if scores is None:
        return None
    data = array("b", [UNPLAYABLE if score is None else score for score in scores]).tobytes()
    return data + _seal_scores(data)


# Column scores repeat: one tuple serves all rows with the same scores.
@lru_cache(maxsize=1 << 14)
def unpack_scores(data: bytes | None) -> tuple[int | None, ...] | None:
    """Decode column scores from their stored form."""
    if data is None:
        return None
    if not isinstance(data, bytes) or _seal_scores(data[:-_SEAL_BYTES]) != data[-_SEAL_BYTES:]:
        raise DamagedValueError(f"stored column scores are damaged: {_shown(data)}")
    found = array("b", data[:-_SEAL_BYTES])
    return tuple([None if score == UNPLAYABLE else score for score in found])


def _seal_scores(data: bytes) -> bytes:
    # Every stored row needs a seal, so this is the fastest checksum that detects every change of a
    # single byte.
    return zlib.adler32(data).to_bytes(_SEAL_BYTES)


class ColumnScores(Converted):
    """One signed byte per column, UNPLAYABLE if it is full; then their Adler-32 as a seal."""

    impl = LargeBinary
    cache_ok = True
    store = staticmethod(pack_scores)
    load = staticmethod(unpack_scores)


def unpack(stored: bytes) -> bytes:
    """Unpack compressed bytes."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(stored, MOST_PACKED)
    except (TypeError, zlib.error):
        raise DamagedValueError(f"stored bytes are damaged: {_shown(stored)}") from None
    if not unpacker.eof or unpacker.unused_data:
        raise DamagedValueError(f"stored bytes are damaged, or too many: {_shown(stored)}")
    return data


class PackedBytes(Converted):
    """Bytes, compressed by zlib, which seals them: its last four bytes are their Adler-32."""

    impl = LargeBinary
    cache_ok = True
    store = staticmethod(partial(zlib.compress, level=1))
    load = staticmethod(unpack)


class RowChecksum(ColumnElement[Any]):
    """The SQL expression of a table's checksum: a number, or a text if there are texts.

    It cannot overflow: every term is less than 2**31. The terms have no weights. Weights would
    detect exchanged values, too, but would slow upserts in SQLite by another 4 %.

    ``columns`` are all columns of the table.
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
    """The condition that a row has a wrong checksum, or a value of the wrong type."""
    columns = list(table.columns)
    differs = table.c[CHECKSUM].is_distinct_from(RowChecksum(columns))
    return or_(differs, wrong_types(session, columns))


def wrong_types(session: Session, columns: Sequence[Column[Any]]) -> ColumnElement[bool]:
    """The condition that a row has a value of the wrong type."""
    if dialect_of(session) != "sqlite":
        return false()
    conditions = []
    for column in columns:
        kind = driver_type(column)
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
    return isinstance(driver_type(column), String)


def _text(column: Column[Any]) -> str:
    if not column.nullable:
        return f"'=' || {column.name}"
    return f"CASE WHEN {column.name} IS NULL THEN '-' ELSE '=' || {column.name} END"


def _numbers(column: Column[Any], dialect: str) -> list[str]:
    """A column's value as whole numbers less than 2**31."""
    name = column.name
    kind = driver_type(column)
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

    SQLite clamps such numbers by itself. PostgreSQL would refuse the row. So there all times above
    5e11 s, infinity and NaN give the same checksum, and changes among them are not detected.
    """
    if dialect == "sqlite":
        return name
    limit = _MAX_SECONDS
    cases = f"WHEN {name} > {limit} THEN {limit} WHEN {name} < -{limit} THEN -{limit}"
    return f"CASE {cases} ELSE {name} END"


def _whole(number: str, dialect: str) -> str:
    return (
        f"CAST({number} AS INTEGER)" if dialect == "sqlite" else f"CAST(TRUNC({number}) AS BIGINT)"
    )


def _modulo(number: str, dialect: str) -> str:
    # PostgreSQL gets MOD, because some statements would need "%%". Not every SQLite has MOD.
    return f"{number} % {_MODULUS}" if dialect == "sqlite" else f"MOD({number}, {_MODULUS})"
