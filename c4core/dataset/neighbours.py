"""Neighbours: a position, and one that a single move leads to.

A program that has learned the children of a test position has almost learned the position. So a
data set says how many of its positions have neighbours in another part, and can be made without
any. Positions are known by their canonical keys: a move may lead to the mirror image as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from c4core.arrays import MOVE_GOES_ON, children
from c4core.dataset.lots import SPLITS, split_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from c4core.dataset.lots import Shares
    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Places = NDArray[np.intp]

Neighbours = Literal["keep", "together", "drop"]
"""What happens to neighbours of different parts: they stay, all that are linked are put into the
same part, or all but those of one part are left out."""

CHOICES: Final[tuple[Neighbours, ...]] = get_args(Neighbours)

_PIECE: Final = 1 << 20
"""Positions whose children are looked for in one step; this limits the memory."""


def links(keys: Keys, board: BoardSize) -> tuple[Places, Places]:
    """All pairs of neighbours among some positions: the indices of parents, and of their children.

    Args:
        keys: different canonical keys of positions that are not over, in any order.
        board: the board of all positions.
    """
    order = np.argsort(keys)
    ordered = np.ascontiguousarray(keys[order])
    parents, found = [], []
    for begin in range(0, len(keys), _PIECE):
        piece = np.ascontiguousarray(keys[begin : begin + _PIECE])
        after, moves = children(piece, width=board.width, height=board.height)
        places = np.minimum(np.searchsorted(ordered, after), len(keys) - 1)
        rows, columns = np.nonzero((moves == MOVE_GOES_ON) & (ordered[places] == after))
        parents.append(rows + begin)
        found.append(order[places[rows, columns]])
    nothing = np.empty(0, dtype=np.intp)
    return np.concatenate([nothing, *parents]), np.concatenate([nothing, *found])


def linked(parts: Mapping[str, Keys], board: BoardSize) -> dict[str, int]:
    """The number of positions of each part that have a neighbour in another part.

    Args:
        parts: canonical keys of different positions, by the name of their part.
        board: the board of all positions.
    """
    names = list(parts)
    keys = np.concatenate([np.empty(0, dtype=np.uint64), *parts.values()])
    places = np.repeat(np.arange(len(names)), [len(part) for part in parts.values()])
    first, second = links(keys, board)
    across = places[first] != places[second]
    touched = np.zeros(len(keys), dtype=np.bool_)
    touched[first[across]] = touched[second[across]] = True
    return {name: int(touched[places == index].sum()) for index, name in enumerate(names)}


def divide(
    keys: Keys, board: BoardSize, seed: int, shares: Shares, neighbours: Neighbours
) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Divide positions into parts.

    Args:
        keys: different canonical keys of positions that are not over.
        board: the board of all positions.
        seed: the seed of the lots.
        shares: the share of each part.
        neighbours: what happens to neighbours of different parts.

    Returns:
        Which positions are kept, and for each of those the index of its part in ``SPLITS``.
    """
    is_kept = np.ones(len(keys), dtype=np.bool_)
    if neighbours == "together":
        return is_kept, split_of(_representatives(keys, board), seed, shares)
    places = split_of(keys, seed, shares)
    if neighbours == "keep":
        return is_kept, places
    first, second = links(keys, board)
    # Train is the largest part, and the test part the one that is to be measured on.
    for place in range(len(SPLITS) - 1):
        for one, other in ((first, second), (second, first)):
            is_kept[one[(places[one] == place) & (places[other] > place)]] = False
    return is_kept, places[is_kept]


def _representatives(keys: Keys, board: BoardSize) -> Keys:
    """For each position the smallest key among those that it is linked to by neighbours."""
    first, second = links(keys, board)
    least = keys.copy()
    while True:
        before = least.copy()
        np.minimum.at(least, first, before[second])
        np.minimum.at(least, second, least[first])
        if np.array_equal(least, before):
            return least
