"""Write a book file, completely or not at all.

The bytes depend only on the kind, the start, the keys and scores of the plies, the description and
the engine's version. So they are the same on every machine and at any time.

The section of a ply has prefix codes, the index, then groups of blocks (docs/book-format.md);
codec.pyx encodes the groups. The prefix codes are canonical Huffman codes: code words are
consecutive numbers, sorted by length and then by symbol. So the lengths determine the code.
"""

from __future__ import annotations

import hashlib
import heapq
import struct
import zlib
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import open_plies, wins_now
from c4core.book.codec import (
    GROUP_SLOTS,
    LONGEST,
    count_gaps,
    count_pairs,
    encode_entries,
    encode_slots,
    fill_empty,
)
from c4core.book.layout import (
    DIGEST_BYTES,
    MAX_DESCRIPTION,
    BookInfo,
    PlySection,
    header_length,
    pack_header,
)
from c4core.book.numbering import Ranking
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
    if start.is_over:
        raise BookContentError("a book cannot start from a game that is over", key=start.key)
    if not levels or start.ply + len(levels) > start.board.cells:
        raise BookContentError(
            f"a book from ply {start.ply} of {start.board} cannot have {len(levels)} plies"
        )
    try:
        length = len(description.encode())
    except UnicodeEncodeError:  # JSON can contain lone surrogates
        raise BookContentError(f"the description {description!r} is not text") from None
    if length > MAX_DESCRIPTION:
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
    """Check that a complete book has all positions: a missing one would get a random score."""
    if np.array_equal(keys, everything):
        return
    foreign = np.setdiff1d(keys, everything)
    key = int((foreign if len(foreign) else np.setdiff1d(everything, keys))[0])
    what = "cannot be reached from the start" if len(foreign) else "is missing from a complete book"
    raise BookContentError(f"ply {ply}: position {key} {what}", key=key)


MAX_SLOTS: Final = 1 << 32
"""The largest number of slots of a complete book's ply; packing takes one byte for each."""

_INDEX_HEAD: Final = struct.Struct("<BbBB")


def code_lengths(counts: Sequence[int]) -> list[int]:
    """Return the lengths of the best code for symbols with these counts; 0 for a count of 0.

    A single symbol gets one bit. The symbols' order breaks ties, so the same counts always give the
    same lengths.
    """
    counts = list(counts)
    while True:
        lengths = _huffman_lengths(counts)
        if max(lengths, default=0) <= LONGEST:
            return lengths
        # More even counts shorten the longest word; the file grows by far less than one percent.
        counts = [(count + 1) // 2 for count in counts]


def _huffman_lengths(counts: Sequence[int]) -> list[int]:
    lengths = [0] * len(counts)
    heap = [(count, symbol, [symbol]) for symbol, count in enumerate(counts) if count]
    if len(heap) == 1:
        lengths[heap[0][1]] = 1
    heapq.heapify(heap)
    while len(heap) > 1:
        count, order, left = heapq.heappop(heap)
        other_count, _, right = heapq.heappop(heap)
        for symbol in left + right:
            lengths[symbol] += 1
        heapq.heappush(heap, (count + other_count, order, left + right))
    return lengths


def code_words(lengths: Sequence[int]) -> list[int]:
    """Return the code word of every symbol; 0 if its length is 0."""
    words = [0] * len(lengths)
    word = 0
    for length in range(1, LONGEST + 1):
        word *= 2
        for symbol, its_length in enumerate(lengths):
            if its_length == length:
                words[symbol] = word
                word += 1
    return words


class _Code:
    """The code of a ply's scores: a prefix code for each possible preceding score."""

    def __init__(self, scores: Scores, low: int, start: int, symbols: int) -> None:
        counts = count_pairs(scores, low, symbols, start)
        rows = [code_lengths(row.tolist()) for row in counts]
        self.low, self.start, self.symbols = low, start, symbols
        self.lengths = np.array(rows, dtype=np.uint8)
        self.words = np.array([code_words(row) for row in rows], dtype=np.uint16)

    def pack(self) -> bytes:
        head = _INDEX_HEAD.pack(self.symbols, self.low, self.start - self.low, 0)
        return head + b"".join(_nibbles(row) for row in self.lengths.tolist())


def _nibbles(lengths: Sequence[int]) -> bytes:
    """Pack code lengths, two in each byte, the first in the upper half."""
    padded = [*lengths, 0]
    return bytes(padded[i] << 4 | padded[i + 1] for i in range(0, len(lengths), 2))


def _commonest(scores: Scores) -> int:
    """Return the most frequent score, the smallest one if there are several."""
    values, counts = np.unique(scores, return_counts=True)
    return int(values[counts.argmax()])


def pack_complete(keys: Keys, scores: Scores, ranking: Ranking, ply: int) -> tuple[bytes, int]:
    """Pack a complete book's ply: one score for each slot, without keys.

    ``keys`` are all positions of the ply that are not over. The slots of positions that win at once
    stay empty, because a reader finds the win without the book.

    Returns:
        The section's bytes, and the length of the index.
    """
    board = ranking.start.board
    searched = ~wins_now(keys, width=board.width, height=board.height)
    packed = np.full(ranking.count(ply), NO_SCORE, dtype=np.int8)
    packed[ranking.slots(keys[searched], ply=ply)] = scores[searched]
    stored = scores[searched] if searched.any() else np.zeros(1, dtype=np.int8)
    low, start = int(stored.min()), _commonest(stored)
    fill_empty(packed, start)
    code = _Code(packed, low, start, int(stored.max()) - low + 1)
    groups = encode_slots(packed, low, start, code.lengths, code.words)
    return _assemble(code.pack(), groups, None)


def pack_sparse(keys: Keys, scores: Scores, ranking: Ranking, ply: int) -> tuple[bytes, int]:
    """Pack a sparse book's ply: the slots of its positions and their scores.

    Returns:
        The section's bytes, and the length of the index.
    """
    slots = ranking.slots(keys, ply=ply, goes_on=True)
    order = np.argsort(slots, kind="stable")
    slots, scores = slots[order], np.ascontiguousarray(scores[order])
    stored = scores if len(scores) else np.zeros(1, dtype=np.int8)
    low, start = int(stored.min()), _commonest(stored)
    code = _Code(scores, low, start, int(stored.max()) - low + 1)
    gap_lengths = code_lengths(count_gaps(slots).tolist())
    groups = encode_entries(
        slots,
        scores,
        low,
        start,
        code.lengths,
        code.words,
        np.array(gap_lengths, dtype=np.uint8),
        np.array(code_words(gap_lengths), dtype=np.uint16),
    )
    return _assemble(code.pack() + _nibbles(gap_lengths), groups, slots)


def _assemble(codes: bytes, groups: list[bytes], slots: Keys | None) -> tuple[bytes, int]:
    """Join index and groups; a sparse index also has the first slot of every group."""
    entry = struct.Struct("<QI") if slots is None else struct.Struct("<QQI")
    offset = index_length = len(codes) + len(groups) * entry.size
    index = [codes]
    for number, group in enumerate(groups):
        first = () if slots is None else (int(slots[number * GROUP_SLOTS]),)
        index.append(entry.pack(*first, offset, zlib.crc32(group)))
        offset += len(group)
    return b"".join(index + groups), index_length
