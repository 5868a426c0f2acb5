"""The description of a book in another format: board, start, kind, origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.book.errors import BookContentError
from c4core.book.layout import KINDS
from c4core.errors import C4Error
from c4core.notation import parse_board
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.book.layout import Kind
    from c4core.notation import BoardSize

KEYS: Final = range(1 << 64)
"""The range of the keys of all boards."""

_SHOWN: Final = 40
"""A message quotes at most this many characters of a wrong value."""

_ENGINES: Final = range(1 << 32)


class About(NamedTuple):
    """The description of a book."""

    start: Position
    """The position from which all others are reached."""
    kind: Kind
    """Whether it has all positions, or only some."""
    description: str
    """The rule by which the positions of a sparse book were chosen."""
    engine_version: int
    """The version of the engine that found the scores."""


def read_about(fields: object, *, board: BoardSize, engine_version: int) -> About:
    """Read a description.

    Args:
        fields: a JSON object; unknown fields are ignored.
        board: the board if the description does not name it.
        engine_version: the version if the description does not name it.

    Raises:
        BookContentError: the value is not an object, or a field is wrong; the message names it.
    """
    if not isinstance(fields, dict):
        raise BookContentError("its description is no JSON object")
    kinds: list[Kind] = [kind for kind in KINDS if kind == fields.get("kind", "sparse")]
    if not kinds:
        raise BookContentError(f"there is no kind of book named {fields['kind']!r}")
    return About(
        _start(fields, board),
        kinds[0],
        _text(fields, "description") or "",
        whole_number(fields.get("engine_version", engine_version), _ENGINES, "engine_version"),
    )


def whole_number(value: object, allowed: range, what: str) -> int:
    """A whole number, also one that is written in quotes.

    Raises:
        BookContentError: the value is not a whole number, or out of range.
    """
    if isinstance(value, str):
        shown = repr(value[:_SHOWN])
        try:
            value = int(value)
        except ValueError:
            raise BookContentError(f"{what} {shown} is no number") from None
    if not isinstance(value, int) or isinstance(value, bool):
        raise BookContentError(f"{what} is no whole number")
    if value not in allowed:
        raise BookContentError(f"{what} {value} is out of range")
    return value


def _start(fields: Mapping[str, object], board: BoardSize) -> Position:
    named = _text(fields, "board")
    key = whole_number(fields["start"], KEYS, "start") if "start" in fields else None
    try:
        size = board if named is None else parse_board(named)
        if key is None:
            return Position(width=size.width, height=size.height)
        return Position.from_key(key, width=size.width, height=size.height)
    except C4Error as error:
        raise BookContentError(str(error)) from None


def _text(fields: Mapping[str, object], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise BookContentError(f"{name} is no text")
    return value
