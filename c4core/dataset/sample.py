"""Samples: the different positions of a data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import are_over
from c4core.dataset.lots import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from c4core.book import Book

    Keys = NDArray[np.uint64]
    Keep = Callable[[Keys], NDArray[np.bool_]]
    """Which of some canonical keys are those of positions that may be taken."""

_PIECE: Final = 1_000_000
"""Positions that are collected before they are sorted and duplicates are removed."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Different positions."""

    keys: Keys
    """Their sorted canonical keys."""
    drawn: int
    """The number of positions that were drawn to find them."""
    duplicates: int
    """The number of drawn positions that, or whose mirror image, had been drawn before."""
    is_all: bool
    """Whether the source has no more, as far as is known."""
    left_out: int = 0
    """The number of positions that were labelled, and then left out by a filter."""


def keep_all(keys: Keys) -> NDArray[np.bool_]:
    """Keep every position."""
    return np.ones(len(keys), dtype=np.bool_)


def gather(keys: Iterable[int], count: int, seed: int, *, keep: Keep = keep_all) -> Sample:
    """A sample of a stream of positions; each is equally likely, however often it occurs.

    Every different position takes 8 bytes of memory.

    Args:
        keys: canonical keys.
        count: the size of the sample.
        seed: the seed of the choice.
        keep: which of them may be taken.
    """
    distinct: Keys = np.empty(0, dtype=np.uint64)
    drawn = 0
    piece: list[int] = []
    for key in keys:
        piece.append(key)
        if len(piece) == _PIECE:
            distinct, drawn = _joined(distinct, piece), drawn + len(piece)
            piece.clear()
    distinct, drawn = _joined(distinct, piece), drawn + len(piece)
    return choose_from(distinct, count, seed, drawn=drawn, keep=keep)


def choose_from(
    distinct: Keys, count: int, seed: int, *, drawn: int, keep: Keep = keep_all
) -> Sample:
    """A sample of different positions, each equally likely.

    Args:
        distinct: different canonical keys.
        count: the size of the sample.
        seed: the seed of the choice.
        drawn: the number of positions that were looked at to find them.
        keep: which of them may be taken.
    """
    kept = distinct[keep(distinct)]
    chosen = choose(kept, count, seed)
    return Sample(chosen, drawn, drawn - len(distinct), is_all=len(chosen) == len(kept))


def choose_from_book(
    book: Book, first: int, last: int, count: int, seed: int, *, keep: Keep = keep_all
) -> Sample:
    """Some of a book's positions with ``first`` to ``last`` stones, each equally likely.

    Args:
        book: an open book.
        first: the smallest number of stones.
        last: the largest number of stones.
        count: the size of the sample.
        seed: the seed of the choice.
        keep: which of them may be taken.

    Raises:
        BookDamagedError: some bytes of the file are wrong.
    """
    levels = [
        keys
        for ply, (keys, _) in enumerate(book.levels(), book.info.first_ply)
        if first <= ply <= last
    ]
    distinct = np.concatenate([np.empty(0, dtype=np.uint64), *levels])
    # Books of other programs may have positions that are over.
    open_ones = distinct[~are_over(distinct, book.info.board)]
    return choose_from(open_ones, count, seed, drawn=len(open_ones), keep=keep)


def _joined(distinct: Keys, piece: list[int]) -> Keys:
    return np.union1d(distinct, np.array(piece, dtype=np.uint64))
