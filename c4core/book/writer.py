"""Writes a book file, completely or not at all.

The bytes depend only on the kind, the start, the keys and scores of the plies, the description and
the engine's version. So they are the same on every machine and every day.
"""

from __future__ import annotations

import hashlib
import zlib
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from c4core.arrays import open_plies
from c4core.book.errors import BookContentError
from c4core.book.layout import (
    DIGEST_BYTES,
    MAX_DESCRIPTION,
    BookInfo,
    PlySection,
    header_length,
    pack_header,
)
from c4core.book.numbering import Ranking
from c4core.book.pack import MAX_SLOTS, pack_complete, pack_sparse
from c4core.evaluation import score_limits
from c4core.files import atomic_file
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.book.layout import Kind
    from c4core.position import Position

    Level = tuple[NDArray[np.uint64], NDArray[np.int8]]


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

    The file gets its name when all of it is on the disk. If anything goes wrong before, an older
    file stays unchanged, and no part of the new one is left.

    Args:
        path: the file.
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
        BookContentError: keys or scores are impossible, a complete book lacks a position or has one
            that cannot be reached, or the book would be too large.
        OSError: the file cannot be written.
    """
    if start.is_over:
        raise BookContentError("a book cannot start from a game that is over", key=start.key)
    if not levels or start.ply + len(levels) > start.board.cells:
        raise BookContentError(
            f"a book from ply {start.ply} of {start.board} cannot have {len(levels)} plies"
        )
    try:
        length = len(description.encode())
    except UnicodeEncodeError:  # JSON can write halves of characters
        raise BookContentError(f"the description {description!r} is no text") from None
    if length > MAX_DESCRIPTION:
        raise BookContentError(f"a description has at most {MAX_DESCRIPTION} bytes")
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
        data, index_length = pack(keys, scores, ranking, ply)
        count = ranking.count(ply) if kind == "complete" else len(keys)
        checksum = zlib.crc32(data[:index_length])
        sections.append(
            PlySection(ply, count, len(keys), offset, len(data), index_length, checksum)
        )
        packed.append(data)
        offset += len(data)
    info = BookInfo(kind, start, tuple(sections), engine_version, description)
    with atomic_file(Path(path)) as beside, beside.open("wb") as file:
        digest = hashlib.sha256()
        for part in (pack_header(info), *packed):
            digest.update(part)
            file.write(part)
        file.write(digest.digest()[:DIGEST_BYTES])
    return info


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
            f"scores run from {worst} to {best}",
            key=int(keys[index]),
        )


def _check_completeness(keys: NDArray[np.uint64], everything: NDArray[np.uint64], ply: int) -> None:
    """Check that a complete book has all positions: a missing one would be read as any score."""
    if np.array_equal(keys, everything):
        return
    foreign = np.setdiff1d(keys, everything)
    key = int((foreign if len(foreign) else np.setdiff1d(everything, keys))[0])
    what = "cannot be reached from the start" if len(foreign) else "is missing from a complete book"
    raise BookContentError(f"ply {ply}: position {key} {what}", key=key)
