"""Cuts the deepest ply of a book into units of work: subtrees of common ancestors.

Positions with a common ancestor some plies up share many positions further down, so a solver that
keeps its table during the unit finds many of them there. Several ancestors may lead to a position;
it is assigned to the one with the smallest key. A unit has all positions of one ancestor. Small
units are merged with their neighbours, and large ones are cut.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from c4core.arrays import wins_now
from c4core.book.errors import BookContentError
from c4core.book.owners import NOBODY, inherit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]


def owners_of(levels: Sequence[Keys], *, width: int = 7, height: int = 6) -> NDArray[np.int32]:
    """The ancestor that each position of the last level is assigned to.

    Args:
        levels: sorted keys of neighbouring plies, the ancestors' first.
        width: columns of the board.
        height: rows of the board.

    Returns:
        For each position of the last level the index, in the first level, of the ancestor with the
        smallest key that leads to it.

    Raises:
        BookContentError: a position is no child of the ply before.
        BoardError: impossible size.
    """
    owners = np.arange(len(levels[0]), dtype=np.int32)
    for parents, children in pairwise(levels):
        owners = inherit(parents, owners, children, width=width, height=height)
    orphans = levels[-1][owners == NOBODY]
    if len(orphans):
        raise BookContentError(
            f"position {orphans[0]} has no parent among those given", key=int(orphans[0])
        )
    return owners


def cut_units(
    levels: Sequence[Keys],
    *,
    least: int = 500,
    most: int = 4000,
    width: int = 7,
    height: int = 6,
) -> Iterator[Keys]:
    """Cut the last level into units of work.

    Positions that win at once are left out: they need no search. The result depends on the
    arguments alone.

    Args:
        levels: sorted keys of neighbouring plies, the ancestors' first, the deepest ply last.
        least: smaller units are merged with their neighbours until they have this many positions.
        most: larger units are cut into equal parts.
        width: columns of the board.
        height: rows of the board.

    Yields:
        The sorted keys of each unit.

    Raises:
        BookContentError: a position is no child of the ply before.
        BoardError: impossible size.
        ValueError: ``least`` is more than ``most``, or less than 1.
    """
    if not 1 <= least <= most:
        raise ValueError(f"units of {least} to {most} positions cannot be cut")
    owners = owners_of(levels, width=width, height=height)
    searched = ~wins_now(levels[-1], width=width, height=height)
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
    """Sorted keys, in equal parts where there are too many for one unit."""
    return np.array_split(np.sort(keys), -(-len(keys) // most))
