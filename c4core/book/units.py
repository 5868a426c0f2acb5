"""Units of work for building a book: cutting the deepest ply into units, and packing their keys.

A unit has all positions of one ancestor a few plies up. They share many successors, so a solver
that keeps its table during the unit finds many of these there. If several ancestors lead to a
position, it belongs to the ancestor with the smallest key. Small units are merged with their
neighbours, and large ones are cut.

Packed keys are the differences of neighbours, compressed by zlib: the lowest bytes of all
differences come first, and the highest ones last.
"""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from c4core.arrays import wins_now
from c4core.book.build import NOBODY, inherit
from c4core.errors import BookContentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]


def owners_of(levels: Sequence[Keys], board: BoardSize) -> NDArray[np.int32]:
    """Return the ancestor of each position of the last level, as its index in the first level.

    The levels are sorted keys of neighbouring plies, the ancestors' first. If several ancestors
    lead to a position, it gets the ancestor with the smallest key.
    """
    owners = np.arange(len(levels[0]), dtype=np.int32)
    for parents, children in pairwise(levels):
        owners = inherit(parents, owners, children, board)
    orphans = levels[-1][owners == NOBODY]
    if len(orphans):
        raise BookContentError(f"position {orphans[0]} is not a child of the ply before")
    return owners


def cut_units(
    levels: Sequence[Keys], board: BoardSize, *, least: int = 500, most: int = 4000
) -> Iterator[Keys]:
    """Cut the last level into units of work.

    Positions that win at once are left out, because they do not require a search. The result
    depends only on the arguments. Units with fewer than ``least`` positions are merged with their
    neighbours, units with more than ``most`` are cut into equal parts.
    """
    if not 1 <= least <= most:
        raise ValueError(f"units of {least} to {most} positions cannot be cut")
    owners = owners_of(levels, board)
    searched = ~wins_now(levels[-1], board)
    keys, owners = levels[-1][searched], owners[searched]
    if not len(keys):
        return
    order = np.argsort(owners, kind="stable")
    keys, owners = keys[order], owners[order]
    share_ends = [*(np.flatnonzero(owners[1:] != owners[:-1]) + 1).tolist(), len(owners)]
    begin = end = 0
    for share_end in share_ends:
        if end - begin >= least:
            yield from _parts(keys[begin:end], most)
            begin = end
        end = share_end
    yield from _parts(keys[begin:end], most)


def _parts(keys: Keys, most: int) -> list[Keys]:
    """Sort keys, and cut them into equal parts if there are too many for one unit."""
    return np.array_split(np.sort(keys), -(-len(keys) // most))


def pack_keys(keys: Keys) -> bytes:
    """Pack sorted keys as bytes for :func:`unpack_keys`."""
    steps = np.diff(keys, prepend=np.uint64(0)).astype("<u8")
    return zlib.compress(steps.view(np.uint8).reshape(-1, steps.itemsize).T.tobytes())


def unpack_keys(packed: bytes) -> Keys:
    """Return the sorted keys from the bytes of :func:`pack_keys`."""
    plain = np.frombuffer(zlib.decompress(packed), dtype=np.uint8)
    steps = np.ascontiguousarray(plain.reshape(8, -1).T).view("<u8").reshape(-1)
    return np.cumsum(steps, dtype=np.uint64)
