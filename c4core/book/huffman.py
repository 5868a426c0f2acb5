"""Huffman codes: lengths from counts, and code words from lengths.

The code is canonical: code words are consecutive numbers, sorted by length and then by symbol. So
the lengths determine the code.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST: Final = 10
"""Bits of the longest code word. A decoding table has 2 to the power of this entries."""


def code_lengths(counts: Sequence[int]) -> list[int]:
    """The lengths of the best code for symbols with these counts; 0 for a count of 0.

    A single symbol gets one bit. Ties are broken by the symbols' order, so that the same counts
    always give the same lengths.
    """
    counts = list(counts)
    while True:
        lengths = _huffman_lengths(counts)
        if max(lengths, default=0) <= LONGEST:
            return lengths
        # More even counts give a shorter longest word; the file grows by far less than a percent.
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


def code_words(lengths: Sequence[int]) -> list[int] | None:
    """Every symbol's code word, 0 where the length is 0; None if no code has these lengths."""
    words = [0] * len(lengths)
    word = 0
    for length in range(1, LONGEST + 1):
        word *= 2
        for symbol, its_length in enumerate(lengths):
            if its_length == length:
                words[symbol] = word
                word += 1
        if word > 1 << length:
            return None
    return words if max(lengths, default=0) <= LONGEST else None
