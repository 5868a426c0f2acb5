"""Write a book file, completely or not at all.

The bytes depend only on the board, the number of plies, the scores, the engine's version, and the
version of zlib (docs/book-format.md).
"""

from __future__ import annotations

import hashlib
import zlib
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import open_plies, wins_now
from c4core.book.layout import (
    DIGEST_BYTES,
    ENTRY,
    BookInfo,
    PlySection,
    header_length,
    pack_header,
)
from c4core.book.numbering import Ranking
from c4core.book.storage import GROUP
from c4core.errors import BookContentError
from c4core.evaluation import NO_SCORE, score_limits
from c4core.files import atomic_file
from c4core.position import Position
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Level = tuple[NDArray[np.uint64], NDArray[np.int8]]
    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]


def write_book(
    path: str | os.PathLike[str],
    levels: Sequence[Level],
    *,
    board: BoardSize,
) -> BookInfo:
    """Write a book.

    The file gets its name when all of its bytes are on the disk. If anything fails before, an older
    file stays unchanged, and the new file is removed.

    Args:
        path: the new file.
        levels: for each ply, beginning with the empty board, the sorted canonical keys of all its
            positions that are not over, and their scores for the side to move.
        board: the board.

    Returns:
        The header of the new file.

    Raises:
        BookContentError: keys or scores are impossible, the book is too large, lacks a position, or
            has one that play cannot reach.
        OSError: the file cannot be written.
    """
    info, parts = pack_book(levels, board)
    with atomic_file(Path(path)) as beside, beside.open("wb") as file:
        for part in parts:
            file.write(part)
    return info


def pack_book(levels: Sequence[Level], board: BoardSize) -> tuple[BookInfo, list[bytes]]:
    """Return the header and the bytes of a book, in parts; arguments as in :func:`write_book`."""
    if not 0 < len(levels) <= board.cells:
        raise BookContentError(f"a book of {board} cannot have {len(levels)} plies")
    ranking = Ranking(board, len(levels) - 1)
    _check_slots(ranking, board, len(levels))
    sections: list[PlySection] = []
    packed: list[bytes] = []
    offset = header_length(len(levels))
    start = Position(board=board)
    expected = chain(open_plies(start), repeat(np.empty(0, dtype=np.uint64)))
    for ply, (keys, scores) in enumerate(levels):
        keys, scores = np.ascontiguousarray(keys), np.ascontiguousarray(scores)  # noqa: PLW2901
        _check_level(keys, scores, board, ply)
        _check_completeness(keys, next(expected), ply)
        index, groups = pack_ply(keys, scores, ranking, board, ply)
        length = len(index) + len(groups)
        count = ranking.count(ply)
        sections.append(PlySection(ply, count, len(keys), offset, length, zlib.crc32(index)))
        packed += [index, groups]
        offset += length
    info = BookInfo(board, tuple(sections), ENGINE_VERSION)
    parts = [pack_header(info), *packed]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return info, [*parts, digest.digest()[:DIGEST_BYTES]]


def _check_slots(ranking: Ranking, board: BoardSize, plies: int) -> None:
    for ply in range(plies):
        if ranking.count(ply) > MAX_SLOTS:
            raise BookContentError(
                f"a book cannot hold ply {ply} of {board}: it has "
                f"{ranking.count(ply)} slots, the limit is {MAX_SLOTS}"
            )


def _check_level(
    keys: NDArray[np.uint64], scores: NDArray[np.int8], board: BoardSize, ply: int
) -> None:
    if keys.shape != scores.shape or keys.ndim != 1:
        raise BookContentError(f"ply {ply}: {keys.shape} keys cannot have {scores.shape} scores")
    if keys.dtype != np.uint64 or scores.dtype != np.int8:
        raise BookContentError(
            f"ply {ply}: keys must be uint64 and scores int8, not {keys.dtype} and {scores.dtype}"
        )
    if not bool(np.all(keys[1:] > keys[:-1])):
        raise BookContentError(f"ply {ply}: the keys are not sorted, or one occurs twice")
    worst, best = score_limits(ply, board)
    wrong = (scores < worst) | (scores > best)
    if wrong.any():
        index = int(wrong.argmax())
        raise BookContentError(
            f"ply {ply}: position {keys[index]} cannot have the score {scores[index]}: "
            f"scores run from {worst} to {best}"
        )


def _check_completeness(keys: NDArray[np.uint64], everything: NDArray[np.uint64], ply: int) -> None:
    """Check that a book has all positions: a missing one would get a random score."""
    if np.array_equal(keys, everything):
        return
    foreign = np.setdiff1d(keys, everything)
    key = int((foreign if len(foreign) else np.setdiff1d(everything, keys))[0])
    what = "cannot be reached" if len(foreign) else "is missing"
    raise BookContentError(f"ply {ply}: position {key} {what}")


MAX_SLOTS: Final = 1 << 32
"""The largest number of slots of a ply; packing takes one byte for each."""
_LEVEL: Final = 9
"""The best compression of zlib."""


def pack_ply(
    keys: Keys, scores: Scores, ranking: Ranking, board: BoardSize, ply: int
) -> tuple[bytes, bytes]:
    """Pack a ply: one score for each slot, without keys.

    ``keys`` are all positions of the ply that are not over. The slots of positions that win at once
    stay empty, because a reader finds the win without the book. An empty slot repeats the score
    before it, which takes the fewest bytes.
    """
    searched = ~wins_now(keys, board)
    packed = np.full(ranking.count(ply), NO_SCORE, dtype=np.int8)
    packed[ranking.slots(keys[searched], ply=ply)] = scores[searched]
    index, groups = [], []
    for first in range(0, len(packed), GROUP):
        group = packed[first : first + GROUP]
        is_used = group != NO_SCORE
        if not is_used[0]:
            group[0] = group[is_used.argmax()] if is_used.any() else 0
        group = group[np.maximum.accumulate(np.where(is_used, np.arange(len(group)), 0))]
        groups.append(zlib.compress(group.tobytes(), _LEVEL))
        index.append(ENTRY.pack(len(groups[-1]), zlib.crc32(groups[-1])))
    return b"".join(index), b"".join(groups)
