"""Write a book file, completely or not at all.

The bytes depend only on the kind, the start, the keys and scores of the plies, the description,
the engine's version, and the version of zlib (docs/book-format.md).
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
    COMPLETE_ENTRY,
    DIGEST_BYTES,
    MAX_DESCRIPTION,
    SPARSE_ENTRY,
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
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.book.layout import Kind
    from c4core.position import Position

    Level = tuple[NDArray[np.uint64], NDArray[np.int8]]
    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]


def write_book(
    path: str | os.PathLike[str],
    levels: Sequence[Level],
    *,
    start: Position,
    kind: Kind = "complete",
    description: str = "",
    engine_version: int = ENGINE_VERSION,
) -> BookInfo:
    """Write a book.

    The file gets its name when all of its bytes are on the disk. If anything fails before, an older
    file stays unchanged, and the new file is removed.

    Args:
        path: the new file.
        levels: for each ply, beginning with the start's, the sorted canonical keys of its positions
            and their scores for the side to move. A complete book needs every position that is not
            over.
        start: the position from which all others are reached.
        kind: ``"complete"`` or ``"sparse"``.
        description: the rule by which the positions of a sparse book were chosen.
        engine_version: the version of the engine that found the scores.

    Returns:
        The header of the new file.

    Raises:
        BookContentError: keys or scores are impossible, the book is too large, or a complete book
            lacks a position or has one that play cannot reach.
        OSError: the file cannot be written.
    """
    info, parts = pack_book(levels, start, kind, description, engine_version)
    with atomic_file(Path(path)) as beside, beside.open("wb") as file:
        for part in parts:
            file.write(part)
    return info


def pack_book(
    levels: Sequence[Level],
    start: Position,
    kind: Kind = "complete",
    description: str = "",
    engine_version: int = ENGINE_VERSION,
) -> tuple[BookInfo, list[bytes]]:
    """Return the header and the bytes of a book, in parts; arguments as in :func:`write_book`."""
    if start.is_over:
        raise BookContentError("a book cannot start from a game that is over")
    if not levels or start.ply + len(levels) > start.board.cells:
        raise BookContentError(
            f"a book from ply {start.ply} of {start.board} cannot have {len(levels)} plies"
        )
    try:
        is_long = len(description.encode()) > MAX_DESCRIPTION
    except UnicodeEncodeError:  # JSON can contain lone surrogates
        raise BookContentError(f"the description {description!r} is not text") from None
    if is_long:
        raise BookContentError(f"the description has more than {MAX_DESCRIPTION} bytes")
    ranking = Ranking(start, last=start.ply + len(levels) - 1)
    if kind == "complete":
        _check_slots(ranking, len(levels))
    sections: list[PlySection] = []
    packed: list[bytes] = []
    offset = header_length(len(levels), description)
    expected = chain(open_plies(start), repeat(np.empty(0, dtype=np.uint64)))
    for ply, (keys, scores) in enumerate(levels, start.ply):
        keys, scores = np.ascontiguousarray(keys), np.ascontiguousarray(scores)  # noqa: PLW2901
        _check_level(keys, scores, start, ply)
        if kind == "complete":  # the plies of a sparse book may have too many positions
            _check_completeness(keys, next(expected), ply)
        pack = pack_complete if kind == "complete" else pack_sparse
        index, groups = pack(keys, scores, ranking, ply)
        count = ranking.count(ply) if kind == "complete" else len(keys)
        length = len(index) + len(groups)
        sections.append(PlySection(ply, count, len(keys), offset, length, zlib.crc32(index)))
        packed += [index, groups]
        offset += length
    info = BookInfo(kind, start, tuple(sections), engine_version, description)
    parts = [pack_header(info), *packed]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return info, [*parts, digest.digest()[:DIGEST_BYTES]]


def _check_slots(ranking: Ranking, plies: int) -> None:
    first = ranking.start.ply
    for ply in range(first, first + plies):
        if ranking.count(ply) > MAX_SLOTS:
            raise BookContentError(
                f"a complete book cannot hold ply {ply} of {ranking.start.board}: it has "
                f"{ranking.count(ply)} slots, the limit is {MAX_SLOTS}"
            )


def _check_level(
    keys: NDArray[np.uint64], scores: NDArray[np.int8], start: Position, ply: int
) -> None:
    if keys.shape != scores.shape or keys.ndim != 1:
        raise BookContentError(f"ply {ply}: {keys.shape} keys cannot have {scores.shape} scores")
    if keys.dtype != np.uint64 or scores.dtype != np.int8:
        raise BookContentError(
            f"ply {ply}: keys must be uint64 and scores int8, not {keys.dtype} and {scores.dtype}"
        )
    if not bool(np.all(keys[1:] > keys[:-1])):
        raise BookContentError(f"ply {ply}: the keys are not sorted, or one occurs twice")
    worst, best = score_limits(ply, start.width, start.height)
    wrong = (scores < worst) | (scores > best)
    if wrong.any():
        index = int(wrong.argmax())
        raise BookContentError(
            f"ply {ply}: position {keys[index]} cannot have the score {scores[index]}: "
            f"scores run from {worst} to {best}"
        )


def _check_completeness(keys: NDArray[np.uint64], everything: NDArray[np.uint64], ply: int) -> None:
    """Check that a complete book has all positions: a missing one would get a random score."""
    if np.array_equal(keys, everything):
        return
    foreign = np.setdiff1d(keys, everything)
    key = int((foreign if len(foreign) else np.setdiff1d(everything, keys))[0])
    what = "cannot be reached from the start" if len(foreign) else "is missing from a complete book"
    raise BookContentError(f"ply {ply}: position {key} {what}")


MAX_SLOTS: Final = 1 << 32
"""The largest number of slots of a complete book's ply; packing takes one byte for each."""
_LEVEL: Final = 9
"""The best compression of zlib."""


def pack_complete(keys: Keys, scores: Scores, ranking: Ranking, ply: int) -> tuple[bytes, bytes]:
    """Pack a complete book's ply: one score for each slot, without keys.

    ``keys`` are all positions of the ply that are not over. The slots of positions that win at once
    stay empty, because a reader finds the win without the book. An empty slot repeats the score
    before it, which takes the fewest bytes.
    """
    board = ranking.start.board
    searched = ~wins_now(keys, width=board.width, height=board.height)
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
        index.append(COMPLETE_ENTRY.pack(len(groups[-1]), zlib.crc32(groups[-1])))
    return b"".join(index), b"".join(groups)


def pack_sparse(keys: Keys, scores: Scores, ranking: Ranking, ply: int) -> tuple[bytes, bytes]:
    """Pack a sparse book's ply: the slots of its positions and their scores.

    A slot is stored as its difference to the slot before. The lowest bytes of all differences of a
    group come first, and the highest ones last.
    """
    slots = ranking.slots(keys, ply=ply, goes_on=True)
    order = np.argsort(slots, kind="stable")
    slots, scores = slots[order], scores[order]
    index, groups = [], []
    for first in range(0, len(slots), GROUP):
        here = slots[first : first + GROUP]
        steps = np.diff(here, prepend=here[:1]).astype("<u8")
        plain = steps.view(np.uint8).reshape(-1, steps.itemsize).T.tobytes()
        plain += scores[first : first + GROUP].tobytes()
        groups.append(zlib.compress(plain, _LEVEL))
        index.append(SPARSE_ENTRY.pack(int(here[0]), len(groups[-1]), zlib.crc32(groups[-1])))
    return b"".join(index), b"".join(groups)
