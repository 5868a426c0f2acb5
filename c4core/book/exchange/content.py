"""The content of a book in memory, between a book file and other formats.

A format may describe the book (:class:`About`), or only list its positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from c4core.arrays import canonical_keys, open_plies
from c4core.book.errors import BookContentError
from c4core.book.layout import KINDS
from c4core.book.writer import write_book
from c4core.errors import C4Error
from c4core.notation import parse_board
from c4core.position import Position
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from c4core.book.layout import BookInfo, Kind
    from c4core.book.writer import Level
    from c4core.notation import BoardSize

KEYS: Final = range(1 << 64)
"""The range of the keys of all boards."""

_SHOWN: Final = 40
"""A message quotes at most this many characters of a wrong value."""

_ENGINES: Final = range(1 << 32)


@dataclass(frozen=True, slots=True, eq=False)
class BookContent:
    """The positions and scores of a book, without a file."""

    start: Position
    """The position from which all others are reached."""
    levels: tuple[Level, ...]
    """For each ply, the start's first: sorted canonical keys, and scores for the sides to move."""
    kind: Kind = "sparse"
    """``complete``: every position that play can reach; ``sparse``: any positions."""
    description: str = ""
    """The rule by which the positions of a sparse book were chosen."""
    engine_version: int = ENGINE_VERSION
    """The version of the engine that found the scores."""

    def check_complete(self) -> None:
        """Check that a complete book has all positions: missing ones would get random scores.

        Raises:
            BookContentError: a ply of the complete book does not have exactly the positions that
                play can reach.
        """
        if self.kind != "complete":
            return
        plies = zip(self.levels, open_plies(self.start), strict=False)
        for ply, ((keys, _), wanted) in enumerate(plies, self.start.ply):
            if not np.array_equal(keys, wanted):
                raise BookContentError(
                    f"it is said to be complete, but does not have exactly the {len(wanted):,} "
                    f"positions of ply {ply}"
                )

    def write(self, path: str | os.PathLike[str]) -> BookInfo:
        """Write a book file; see :func:`c4core.book.writer.write_book`."""
        return write_book(
            path,
            self.levels,
            start=self.start,
            kind=self.kind,
            description=self.description,
            engine_version=self.engine_version,
        )


def levels_of(
    keys: NDArray[np.uint64], scores: NDArray[np.int8], start: Position
) -> tuple[Level, ...]:
    """Sort positions of any plies, in any order and of either image, into levels.

    Args:
        keys: the positions; a repeated position must have the same score each time.
        scores: their scores, for the sides to move.
        start: the position from which they are reached.

    Returns:
        The levels from the start's ply to the last one that has a position.

    Raises:
        KeyValueError: a number is not a position's key.
        BookContentError: a position has fewer stones than the start, or two different scores.
    """
    canonical, plies = canonical_keys(keys, width=start.width, height=start.height)
    if len(plies) and plies.min() < start.ply:
        key = int(keys[plies.argmin()])
        raise BookContentError(f"position {key} has fewer stones than the start", key=key)
    order = np.lexsort((canonical, plies))
    canonical, plies, scores = canonical[order], plies[order], scores[order]
    again = canonical[1:] == canonical[:-1]
    conflict = again & (scores[1:] != scores[:-1])
    if conflict.any():
        index = int(conflict.argmax())
        raise BookContentError(
            f"position {canonical[index]} has the scores {scores[index]} and {scores[index + 1]}",
            key=int(canonical[index]),
        )
    first = np.append(np.ones(min(1, len(again) + 1), dtype=bool), ~again)[: len(canonical)]
    canonical, plies, scores = canonical[first], plies[first], scores[first]
    last = int(plies[-1]) if len(plies) else start.ply
    bounds = np.searchsorted(plies, np.arange(start.ply, last + 2)).tolist()
    return tuple((canonical[begin:end], scores[begin:end]) for begin, end in pairwise(bounds))


class About(NamedTuple):
    """The description of a book."""

    start: Position
    """The position from which all others are reached."""
    kind: Kind
    """Whether the book has all positions, or only some."""
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
        BookContentError: it is not an object, or a field is wrong; the message names the field.
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
    """A whole number, which may be in quotes.

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
