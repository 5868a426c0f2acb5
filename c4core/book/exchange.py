"""Books for other programs: JSON Lines, and the format of Pascal Pons's solver.

JSON Lines: the first line describes the book. Every other line is a position in the line protocol
(c4core/lines.py), with its score for the side to move::

    {"book": {"board": "7x6", "plies": 12, ...}}
    {"ply": 0, "key": 4432676798593, "score": 1}

Pons (``7x6.book``): the file is a hash table without chaining. It begins with six bytes: width,
height, largest number of stones, bytes of a key (1, 2 or 4), bytes of a value (1), and the binary
logarithm of the table's size. The size is the smallest prime that is not less than that power of
two. The keys of all places follow, little endian, and then the values. A position with the base-3
key k (numbering.pyx) is stored at place k modulo the size, or not at all. The key field has the
lowest bytes of k; together with the place they determine k. The value is the score, counted from 1
for the lowest possible score, a loss to the winner's fourth stone. The value 0 marks an empty
place.

If several positions share a place, the table keeps only one of them.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import wins_now
from c4core.book.numbering import pons_keys
from c4core.errors import BookContentError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from c4core.book.book import Book
    from c4core.notation import BoardSize


def json_lines(book: Book) -> Iterator[str]:
    """Iterate over a book's JSON Lines, without line ends."""
    info = book.info
    about = {
        "board": str(info.board),
        "plies": info.last_ply,
        "positions": info.positions,
        "engine_version": info.engine_version,
    }
    yield json.dumps({"book": about})
    for ply, (keys, scores) in enumerate(book.levels()):
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True):
            yield f'{{"ply": {ply}, "key": {key}, "score": {score}}}'


LOG2_SIZES: Final = range(21, 28)
"""Binary logarithms of the table sizes that Pons's solver can read."""

_HEADER: Final = struct.Struct("<6B")
_KEY_BYTES: Final = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class PonsBook:
    """Facts about a book that was written."""

    stored: int
    lost: int
    """Number of positions left out, because another one has their place."""
    bytes: int


def table_size(log2_size: int) -> int:
    """Return the smallest prime number that is not less than the power of two."""
    size = 1 << log2_size
    while any(size % factor == 0 for factor in range(2, int(size**0.5) + 1)):
        size += 1
    return size


def lowest_score(board: BoardSize) -> int:
    """Return the score from which the format counts: a loss to the winner's fourth stone."""
    return -(board.cells // 2) + 3


def write_pons(book: Book, path: str | os.PathLike[str]) -> PonsBook:
    """Write a book in Pons's format.

    If positions share a place, one that does not win at once is preferred, and then the position
    with the fewest stones.

    The table is the smallest one with two places for each
    position, or the largest one.
    """
    info = book.info
    fitting = (log2 for log2 in LOG2_SIZES if 1 << log2 >= 2 * info.positions)
    log2_size = next(fitting, LOG2_SIZES[-1])
    size = table_size(log2_size)
    key_bytes = _key_bytes(info.last_ply, info.board, size)
    keys = np.zeros(size, dtype=f"<u{key_bytes}")
    values = np.zeros(size, dtype=np.uint8)
    _fill(keys, values, book, key_bytes)
    header = _HEADER.pack(*info.board, info.last_ply, key_bytes, 1, log2_size)
    with Path(path).open("wb") as file:
        file.write(header)
        file.write(keys.data)
        file.write(values.data)
    stored = int(np.count_nonzero(values))
    return PonsBook(stored, info.positions - stored, len(header) + size * (key_bytes + 1))


def _key_bytes(depth: int, board: BoardSize, size: int) -> int:
    """Return the length of the shortest key field that makes keys unique at their place."""
    for count in _KEY_BYTES:
        if 3 ** (depth + board.width - 1) <= size << 8 * count:
            return count
    raise BookContentError(f"positions with {depth} stones need longer keys than the format has")


def _fill(
    keys: NDArray[np.unsignedinteger], values: NDArray[np.uint8], book: Book, key_bytes: int
) -> None:
    """Write every position to its place; preferred ones come last and overwrite earlier ones."""
    board = book.info.board
    searched: list[tuple[NDArray[np.uint64], NDArray[np.uint8]]] = []
    winning: list[tuple[NDArray[np.uint64], NDArray[np.uint8]]] = []
    for level_keys, scores in book.levels():
        numbers = pons_keys(level_keys, board)
        marks = (scores - (lowest_score(board) - 1)).astype(np.uint8)
        wins = wins_now(level_keys, board)
        searched.append((numbers[~wins], marks[~wins]))
        winning.append((numbers[wins], marks[wins]))
    for numbers, marks in [*reversed(winning), *reversed(searched)]:
        places = numbers % np.uint64(len(keys))
        keys[places] = (numbers & np.uint64((1 << 8 * key_bytes) - 1)).astype(keys.dtype)
        values[places] = marks
