"""One ply's scores as the bytes of its section: index, then groups of blocks.

docs/book-format.md has the layout; encode.pyx makes the groups.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import wins_now
from c4core.book.encode import (
    EMPTY_SLOT,
    GROUP_SCORES,
    count_gaps,
    count_pairs,
    encode_entries,
    encode_slots,
    fill_empty,
)
from c4core.book.huffman import code_lengths, code_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.book.numbering import Ranking

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]

MAX_SLOTS: Final = 1 << 32
"""Slots of the largest ply that can be packed without keys; packing takes one byte for each."""

_INDEX_HEAD: Final = struct.Struct("<BbBB")


class _Code:
    """How the scores of a ply are coded: a prefix code for each possible preceding score."""

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
    """Code lengths, two in each byte, the first in the upper half."""
    padded = [*lengths, 0]
    return bytes(padded[i] << 4 | padded[i + 1] for i in range(0, len(lengths), 2))


def _commonest(scores: Scores) -> int:
    """The most frequent score; the smallest of several."""
    values, counts = np.unique(scores, return_counts=True)
    return int(values[counts.argmax()])


def pack_complete(keys: Keys, scores: Scores, ranking: Ranking, ply: int) -> tuple[bytes, int]:
    """A complete book's ply: one score for each slot, no keys.

    The slots of positions that win at once stay empty: a reader finds the win without the book.

    Args:
        keys: all positions of the ply that are not over.
        scores: their scores, for the side to move.
        ranking: the book's slots.
        ply: stones on the board.

    Returns:
        The section's bytes, and how many of them are the index.
    """
    board = ranking.start.board
    searched = ~wins_now(keys, width=board.width, height=board.height)
    packed = np.full(ranking.count(ply), EMPTY_SLOT, dtype=np.int8)
    packed[ranking.slots(keys[searched], ply=ply)] = scores[searched]
    stored = scores[searched] if searched.any() else np.zeros(1, dtype=np.int8)
    low, start = int(stored.min()), _commonest(stored)
    fill_empty(packed, start)
    code = _Code(packed, low, start, int(stored.max()) - low + 1)
    groups = encode_slots(packed, low, start, code.lengths, code.words)
    return _assemble(code.pack(), groups, None)


def pack_sparse(keys: Keys, scores: Scores, ranking: Ranking, ply: int) -> tuple[bytes, int]:
    """A sparse book's ply: the slots of its positions and their scores.

    Args:
        keys: any positions of the ply.
        scores: their scores, for the side to move.
        ranking: the book's slots.
        ply: stones on the board.

    Returns:
        The section's bytes, and how many of them are the index.
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
    """Index and groups; a sparse index also has the first slot of every group."""
    entry = struct.Struct("<QI") if slots is None else struct.Struct("<QQI")
    offset = index_length = len(codes) + len(groups) * entry.size
    index = [codes]
    for number, group in enumerate(groups):
        first = () if slots is None else (int(slots[number * GROUP_SCORES]),)
        index.append(entry.pack(*first, offset, zlib.crc32(group)))
        offset += len(group)
    return b"".join(index + groups), index_length
