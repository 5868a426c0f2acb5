"""Decode stored JSON, and report every fault in it as damage.

In a database from an untrusted source, fields may be missing or of another type.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from c4core.errors import C4Error
from c4core.notation import MAX_BITS
from db.errors import DamagedValueError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")

_SHOWN: Final = 200
"""Maximum number of characters of a reason that an error shows."""


@contextmanager
def decoding(what: str) -> Iterator[None]:
    """Raise DamagedValueError for every error in reading a stored value.

    ``what`` names the value in the message.
    """
    try:
        yield
    except StorageError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        C4Error,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        reason = f"{type(error).__name__}: {error}"
        shown = reason if len(reason) <= _SHOWN else f"{reason[: _SHOWN - 3]}..."
        raise DamagedValueError(f"damaged: {what} cannot be read ({shown})") from None


def field(fields: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of a JSON object, of exactly this type: True does not count as a number."""
    value: T = fields[name]
    if type(value) is not kind:
        raise TypeError(f"{name} is of type {type(value).__name__}, not {kind.__name__}")
    return value


def number_field(fields: Mapping[str, Any], name: str, *, below: int) -> int:
    """Return a field of a JSON object: an integer that is at least 0 and less than ``below``."""
    value = field(fields, name, int)
    if not 0 <= value < below:
        raise ValueError(f"{name} is {value}, not from 0 to {below - 1}")
    return value


def is_number(value: int) -> bool:
    """Whether a row may have this number: neither database accepts a larger one in a query."""
    return 0 <= value < 1 << 63


def is_key(value: int) -> bool:
    """Whether a row may have this key."""
    return 0 <= value < 1 << MAX_BITS


def is_small_number(value: int) -> bool:
    """Whether the value fits a 32-bit column."""
    return 0 <= value < 1 << 31
