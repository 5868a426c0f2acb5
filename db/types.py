"""Column types whose stored form differs from what Python sees."""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy import Dialect

KEY_SHIFT: Final = 1 << 63
"""Stored key + KEY_SHIFT = position's key."""

UNPLAYABLE: Final = -128
"""Stored for a column that is full; the same number as in the engine's batches."""

_dump = json.JSONEncoder(separators=(",", ":")).encode


def is_number(value: int) -> bool:
    """Whether a row may have this number: neither database takes a larger one in a question."""
    return 0 <= value < 1 << 63


def is_small_number(value: int) -> bool:
    """Whether a column of 32 bits may have this value."""
    return 0 <= value < 1 << 31


class PositionKey(TypeDecorator[int]):
    """An unsigned 64-bit key in a signed 64-bit column, in the same order.

    Subtracting 2**63 keeps ``<`` as it is, which two's complement would not: keys from 2**63 on
    would come first.
    """

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        """Key to column."""
        del dialect
        return None if value is None else value - KEY_SHIFT

    def process_result_value(self, value: int | None, dialect: Dialect) -> int | None:
        """Column to key."""
        del dialect
        return None if value is None else value + KEY_SHIFT


class JsonText(TypeDecorator[Any]):
    r"""A JSON object or array as text, byte for byte the same in every database.

    Text and not PostgreSQL's JSON: no SQL looks inside, and the text keeps what users send as it
    is (``json`` refuses NaN, ``jsonb`` reorders fields and refuses ``\u0000``).
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        """Value to text."""
        del dialect
        return None if value is None else _dump(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Text to value."""
        del dialect
        return None if value is None else json.loads(value)


class PlainText(TypeDecorator[str]):
    """Text for people: labels, names, reasons. What no database takes is replaced.

    That is half a character, which is what Python makes of a byte that is not UTF-8 on a command
    line or in a file's name, and in PostgreSQL NUL.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Any text to one that can be stored."""
        del dialect
        if value is None:
            return None
        whole = value.encode(errors="replace").decode()
        return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


class ColumnScores(TypeDecorator[tuple[int | None, ...]]):
    """One signed byte a column, UNPLAYABLE where it is full."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(
        self, value: tuple[int | None, ...] | None, dialect: Dialect
    ) -> bytes | None:
        """Scores to bytes."""
        del dialect
        return pack_scores(value)

    def process_result_value(
        self, value: bytes | None, dialect: Dialect
    ) -> tuple[int | None, ...] | None:
        """Bytes to scores."""
        del dialect
        return unpack_scores(value)


def pack_scores(scores: tuple[int | None, ...] | None) -> bytes | None:
    """The stored form of a position's column scores."""
    if scores is None:
        return None
    return array("b", [UNPLAYABLE if score is None else score for score in scores]).tobytes()


def unpack_scores(data: bytes | None) -> tuple[int | None, ...] | None:
    """Column scores from their stored form."""
    if data is None:
        return None
    return tuple([None if score == UNPLAYABLE else score for score in array("b", data)])
