"""Draw different positions for a data set from random games, a stream, or a book."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.dataset.lots import choose
from c4core.dice import Dice
from c4core.players.playouts import draw_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from c4core.book import Book
    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Keep = Callable[[Keys], NDArray[np.bool_]]
    """A filter: whether the position of each canonical key may be taken."""
    Draw = Callable[[int], Keys]
    """Play this many random games, and draw positions from them. Returns the canonical keys in the
    order of the games; a game may have none."""

PATIENCE: Final = 10_000
"""A pool counts as exhausted after at least this many games in a row without a new position."""

MAX_GAMES: Final = 1_000_000
"""The largest number of games that are played together; this limits the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A sample of different positions."""

    keys: Keys
    """The sorted canonical keys of the positions."""
    drawn: int
    """The number of positions that were drawn to find them."""
    duplicates: int
    """The number of drawn positions that had been drawn before, perhaps as their mirror image."""
    is_all: bool
    """Whether the source seems to have no more positions."""
    left_out: int = 0
    """The number of positions that were labelled, and then left out by a filter."""


def keep_all(keys: Keys) -> NDArray[np.bool_]:
    """Keep every position."""
    return np.ones(len(keys), dtype=np.bool_)


def gather(keys: Iterable[int], count: int, seed: int, *, keep: Keep = keep_all) -> Sample:
    """Sample a stream of positions; each is equally likely, however often it occurs.

    The keys are canonical. Every position of the stream takes 8 bytes of memory.
    """
    drawn = np.fromiter(keys, dtype=np.uint64)
    return choose_from(np.unique(drawn), count, seed, drawn=len(drawn), keep=keep)


def choose_from(
    distinct: Keys, count: int, seed: int, *, drawn: int, keep: Keep = keep_all
) -> Sample:
    """Sample different positions, each equally likely; ``drawn`` is the number of draws so far."""
    kept = distinct[keep(distinct)]
    chosen = choose(kept, count, seed)
    return Sample(chosen, drawn, drawn - len(distinct), is_all=len(chosen) == len(kept))


def choose_from_book(
    book: Book, first: int, last: int, count: int, seed: int, *, keep: Keep = keep_all
) -> Sample:
    """Sample a book's positions with ``first`` to ``last`` stones, each equally likely."""
    levels = [keys for ply, (keys, _) in enumerate(book.levels()) if first <= ply <= last]
    distinct = np.concatenate([np.empty(0, dtype=np.uint64), *levels])
    return choose_from(distinct, count, seed, drawn=len(distinct), keep=keep)


class Pool:
    """Different positions from one kind of draw.

    Attributes:
        keys: the sorted keys of the positions.
        drawn: the number of positions that were drawn, repeated ones included.
        is_exhausted: whether there seem to be no more positions.
    """

    def __init__(self, draw: Draw) -> None:
        self.keys: Keys = np.empty(0, dtype=np.uint64)
        self.drawn = 0
        self.is_exhausted = False
        self._draw = draw

    def __len__(self) -> int:
        return len(self.keys)

    def grow(self, more: int) -> None:
        """Draw until there are this many more positions, or the pool is exhausted."""
        wanted = len(self) + more
        while len(self) < wanted and not self.is_exhausted:
            missing = wanted - len(self)
            # If few positions are new, most of a large draw is wasted, so the draws grow slowly.
            games = max(PATIENCE, min(2 * missing, len(self) + PATIENCE, MAX_GAMES))
            self._take(self._draw(games), missing)

    def _take(self, drawn: Keys, most: int) -> None:
        """Add the new positions among the drawn ones, in their order, at most ``most``."""
        distinct, first = np.unique(drawn, return_index=True)
        places = np.sort(first[~np.isin(distinct, self.keys, assume_unique=True)])
        self.is_exhausted = not len(places)
        enough = len(places) > most
        places = places[:most]
        # Positions after the last one that is needed do not count as drawn.
        self.drawn += int(places[-1]) + 1 if enough else len(drawn)
        self.keys = np.union1d(self.keys, drawn[places])


def draw_from_play(
    board: BoardSize, first: int, last: int, count: int, seed: int, *, keep: Keep = keep_all
) -> Sample:
    """Draw one position from each random game, with ``first`` to ``last`` stones.

    Positions that ``keep`` refuses do not count as drawn.
    """
    pool = Pool(_draw_of(board, first, last, _dice("play", seed), keep))
    pool.grow(count)
    return _sample([pool])


def draw_by_plies(
    board: BoardSize, first: int, last: int, count: int, seed: int, *, keep: Keep = keep_all
) -> Sample:
    """Draw positions from random games, evenly over plies; if a ply has too few, others get more.

    The positions have ``first`` to ``last`` stones. Positions that ``keep`` refuses do not count as
    drawn.
    """
    pools = [
        Pool(_draw_of(board, ply, ply, _dice(f"ply {ply}", seed), keep))
        for ply in range(first, last + 1)
    ]
    open_pools = pools
    while open_pools and (missing := count - sum(map(len, pools))):
        each, rest = divmod(missing, len(open_pools))
        for index, pool in enumerate(open_pools):
            pool.grow(each + (index < rest))
        open_pools = [pool for pool in open_pools if not pool.is_exhausted]
    return _sample(pools)


def _draw_of(board: BoardSize, first: int, last: int, dice: Dice, keep: Keep) -> Draw:
    def draw(games: int) -> Keys:
        keys = draw_positions(dice, games, first, last, board)
        return keys[keep(keys)]

    return draw


def _dice(name: str, seed: int) -> Dice:
    """A generator for one pool, so that its draws do not depend on other pools."""
    digest = hashlib.blake2b(f"dataset {name} {seed}".encode(), digest_size=8).digest()
    return Dice(int.from_bytes(digest, "big"))


def _sample(pools: Sequence[Pool]) -> Sample:
    keys = np.sort(np.concatenate([pool.keys for pool in pools]))
    drawn = sum(pool.drawn for pool in pools)
    return Sample(keys, drawn, drawn - len(keys), all(pool.is_exhausted for pool in pools))
