"""Column types whose stored form differs from what Python sees."""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, LargeBinary, Text, cast
from sqlalchemy.types import TypeDecorator

from db.errors import DamagedValueError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Dialect
    from sqlalchemy.orm import InstrumentedAttribute, Session

KEY_SHIFT: Final = 1 << 63
"""Stored key + KEY_SHIFT = position's key."""

UNPLAYABLE: Final = -128
"""Stored for a full column; the same number as in the engine's batches."""

MOST_PACKED: Final = 1 << 20
"""Bytes of a packed value at most, so that a stranger's database cannot fill the memory."""

_SEAL_BYTES: Final = 4

_SHOWN: Final = 60
"""Characters of a damaged text that an error shows."""

SEAL_LENGTH: Final = len(',"#":"01234567"}') - 1
"""Characters that the seal of a JSON object adds to its text, a comma apart."""

_dump = json.JSONEncoder(separators=(",", ":")).encode


class PositionKey(TypeDecorator[int]):
    """An unsigned 64-bit key in a signed 64-bit column, in the same order.

    Subtracting 2**63 keeps the order. In two's complement keys from 2**63 on would come first.
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
    r"""A short JSON array as text, byte for byte the same in every database.

    It is text and not PostgreSQL's JSON, because no SQL reads it, and because only text keeps what
    users send in a :class:`JsonObject` (``json`` refuses NaN, ``jsonb`` reorders fields and refuses
    ``\u0000``).
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        """Value to text."""
        del dialect
        return None if value is None else _dump(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Text to value.

        Raises:
            DamagedValueError: it is no JSON.
        """
        del dialect
        return None if value is None else _parse(value)


class JsonObject(JsonText):
    """A JSON object as text, which ends with its seal: ``{"a":1,"#":"880e9c79"}``.

    The seal is the beginning of the SHA-256 of the text before the seal's own name. Texts from
    other programs may have none.
    """

    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        """Value to text."""
        del dialect
        return None if value is None else seal_object(_dump(value))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Text to value.

        Raises:
            DamagedValueError: it is not what was stored.
        """
        del dialect
        return None if value is None else unseal_object(value)


def seal_object(text: str) -> str:
    """The text of a JSON object with its seal."""
    body = text[:-1] + ("," if len(text) > len("{}") else "")
    return f'{body}"#":"{_seal_text(body)}"}}'


def unseal_object(text: str, *, needs_seal: bool = False) -> Any:  # noqa: ANN401
    """A JSON object without its seal.

    Args:
        text: as it is stored.
        needs_seal: whether it must have one.

    Raises:
        DamagedValueError: it is no JSON object, or not the one that was sealed.
    """
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
    return cast(column, LargeBinary() if session.get_bind().dialect.name == "sqlite" else Text())


def unseal_stored(stored: str | bytes, *, needs_seal: bool = False) -> Any:  # noqa: ANN401
    """A JSON object that was read :func:`as_stored`. Arguments and errors of `unseal_object`."""
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


class PlainText(TypeDecorator[str]):
    """Text for people: labels, names, reasons. Characters that a database refuses are replaced.

    These are lone surrogates, which Python makes of bytes that are not UTF-8 on a command line or
    in a file's name; and in PostgreSQL also NUL.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Text to one that can be stored."""
        del dialect
        if value is None:
            return None
        whole = value.encode(errors="replace").decode()
        return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


class ColumnScores(TypeDecorator[tuple[int | None, ...]]):
    """One signed byte a column, UNPLAYABLE where it is full; then their Adler-32 as a seal."""

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
    data = array("b", [UNPLAYABLE if score is None else score for score in scores]).tobytes()
    return data + _seal_scores(data)


def unpack_scores(data: bytes | None) -> tuple[int | None, ...] | None:
    """Column scores from their stored form.

    Raises:
        DamagedValueError: they are not what was stored.
    """
    if data is None:
        return None
    if not isinstance(data, bytes) or _seal_scores(data[:-_SEAL_BYTES]) != data[-_SEAL_BYTES:]:
        raise DamagedValueError(f"stored column scores are damaged: {_shown(data)}")
    found = array("b", data[:-_SEAL_BYTES])
    return tuple([None if score == UNPLAYABLE else score for score in found])


def _seal_scores(data: bytes) -> bytes:
    # Every stored row has a seal, so it is the fastest one that shows each change of a single byte.
    return zlib.adler32(data).to_bytes(_SEAL_BYTES)


class PackedBytes(TypeDecorator[bytes]):
    """Bytes, compressed by zlib, which seals them: its last four bytes are their Adler-32."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """Bytes to fewer bytes."""
        del dialect
        return None if value is None else zlib.compress(value, level=1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """The bytes as they were.

        Raises:
            DamagedValueError: they are not what was stored.
        """
        del dialect
        return None if value is None else unpack(value)


def unpack(stored: bytes) -> bytes:
    """The bytes that were packed.

    Raises:
        DamagedValueError: they are not what was stored, or more than MOST_PACKED.
    """
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(stored, MOST_PACKED)
    except (TypeError, zlib.error):
        raise DamagedValueError(f"stored bytes are damaged: {_shown(stored)}") from None
    if not unpacker.eof or unpacker.unused_data:
        raise DamagedValueError(f"stored bytes are damaged, or too many: {_shown(stored)}")
    return data
