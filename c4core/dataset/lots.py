"""Lots: pseudo-random decisions about positions, such as the part that a position belongs to.

A lot is a hash of a seed and the canonical key. So a decision does not depend on the source, the
size or the order of a data set. It is the same for mirror images and transpositions, because they
have the same canonical key.

A lot is ``mix(key ^ salt)``. ``mix`` is the finalizer of splitmix64 (Steele, Lea and Flood 2014), a
permutation of the 64-bit words, so different positions have different lots. ``salt`` is the 8-byte
BLAKE2b digest of ``PURPOSE SEED`` in ASCII, read as a big-endian number.

*Neighbours* are a position and one that a single move leads to. A program that has learned the
children of a test position has almost learned the position. So a data set states how many of its
positions have neighbours in another part. Positions are compared by canonical keys, so a move may
also lead to the mirror image.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Self

import numpy as np

from c4core.book.build import known_children

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Places = NDArray[np.intp]

Purpose = Literal["choose", "split", "order", "image"]
"""The decision that a lot makes. Lots of different purposes are independent."""

SPLITS: Final = ("train", "validation", "test")

MAX_SHARES: Final = 1_000_000


def position_hashes(keys: Keys, seed: int, purpose: Purpose) -> Keys:
    """The lot of each position, a 64-bit word, as the module defines it."""
    text = f"{purpose} {seed}".encode()
    salt = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
    words = keys ^ np.uint64(salt)
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def choose(keys: Keys, count: int, seed: int) -> Keys:
    """Choose ``count`` of some different positions, each equally likely; all if there are fewer.

    The result is sorted and does not depend on the order of ``keys``.
    """
    chosen = keys
    if count < len(keys):
        lots = position_hashes(keys, seed, "choose")
        chosen = keys[np.argpartition(lots, count)[:count]]
    return np.sort(chosen)


def are_mirrored(keys: Keys, seed: int) -> NDArray[np.bool_]:
    """Whether each position is shown as the canonical one's mirror image, with equal chances."""
    return (position_hashes(keys, seed, "image") & np.uint64(1)) == 1


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of each part in a data set, in the order of :data:`SPLITS`: ``80/10/10``."""

    train: int = 80
    validation: int = 10
    test: int = 10

    def __post_init__(self) -> None:
        shares = self.as_tuple()
        if min(shares) < 0 or not 0 < sum(shares) <= MAX_SHARES:
            raise ValueError(
                f"{self} is not a split: shares are 0 or more, and their sum is 1 to {MAX_SHARES:,}"
            )

    def __str__(self) -> str:
        """``TRAIN/VALIDATION/TEST``; :meth:`parse` reads it."""
        return "/".join(map(str, self.as_tuple()))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``TRAIN/VALIDATION/TEST``."""
        parts = text.split("/")
        are_numbers = text.isascii() and all(part.strip().isdecimal() for part in parts)
        if len(parts) != len(SPLITS) or not are_numbers:
            raise ValueError(
                f"{text!r} is not a split: write the shares of train, validation and test, "
                "as in 80/10/10"
            )
        train, validation, test = map(int, parts)
        return cls(train, validation, test)

    def as_tuple(self) -> tuple[int, int, int]:
        """The shares in order."""
        return self.train, self.validation, self.test

    def names(self) -> tuple[str, ...]:
        """The parts whose share is not 0."""
        return tuple(name for name, share in zip(SPLITS, self.as_tuple(), strict=True) if share > 0)


def split_of(keys: Keys, seed: int, shares: Shares) -> NDArray[np.uint8]:
    """The part of each position, as an index in :data:`SPLITS`.

    The lot's upper 32 bits, times the sum of the shares, divided by 2^32, are a number below that
    sum. If it is below the first share, the position is in the first part. If it is below the sum
    of the first two shares, it is in the second part; otherwise it is in the third.
    """
    sums = np.cumsum(np.array(shares.as_tuple(), dtype=np.uint64))
    lots = position_hashes(keys, seed, "split")
    places = ((lots >> np.uint64(32)) * sums[-1]) >> np.uint64(32)
    return np.searchsorted(sums, places, side="right").astype(np.uint8)


def in_order(keys: Keys, seed: int) -> NDArray[np.intp]:
    """The indices that put positions into the order of their lots: a reproducible shuffle."""
    return np.argsort(position_hashes(keys, seed, "order"))


def links(keys: Keys, board: BoardSize) -> tuple[Places, Places]:
    """All pairs of neighbours among some positions: the indices of parents, and of their children.

    The keys are canonical and different, in any order; no game is over.
    """
    order = np.argsort(keys)
    parents, found = [], []
    for piece, _, places in known_children(keys, keys[order], board):
        rows, columns = np.nonzero(places >= 0)
        parents.append(rows + piece.start)
        found.append(order[places[rows, columns]])
    nothing = np.empty(0, dtype=np.intp)
    return np.concatenate([nothing, *parents]), np.concatenate([nothing, *found])


def linked(parts: Mapping[str, Keys], board: BoardSize) -> dict[str, int]:
    """The number of positions of each part that have a neighbour in another part.

    The keys are canonical and different; no game is over.
    """
    names = list(parts)
    keys = np.concatenate([np.empty(0, dtype=np.uint64), *parts.values()])
    places = np.repeat(np.arange(len(names)), [len(part) for part in parts.values()])
    first, second = links(keys, board)
    across = places[first] != places[second]
    touched = np.zeros(len(keys), dtype=np.bool_)
    touched[first[across]] = touched[second[across]] = True
    return {name: int(touched[places == index].sum()) for index, name in enumerate(names)}
