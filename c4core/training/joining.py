"""Joins data sets for a training, and keeps them apart from those that it is measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import MOVE_GOES_ON, canonical_keys, children
from c4core.dataset.errors import DatasetError
from c4core.training.labels import ARRAYS, SPLITS, Positions, read_positions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

_PIECE: Final = 1 << 18
"""Positions whose children are looked for in one step; this limits the memory."""


def read_joined(
    directories: Sequence[Path], *, apart_from: Sequence[Path] = ()
) -> tuple[Positions, Positions]:
    """The positions of data sets to learn from, and those for the test after every epoch.

    A position of several data sets is taken once; one for the test is not learned from.

    Args:
        directories: data sets with the parts train and validation, of one board.
        apart_from: data sets of which no position is learned from, whatever part it is in, nor any
            neighbour: one that a single move leads to or comes from, or its mirror image.

    Raises:
        DatasetError: a part is missing or damaged, the boards differ, or nothing is left.
    """
    held_out = joined([read_positions(each, "validation") for each in directories])
    learned = joined([read_positions(each, "train") for each in directories])
    is_taken = ~np.isin(canonical(learned), canonical(held_out))
    for each in apart_from:
        is_taken &= ~near(learned, _all_of(each))
    if not is_taken.any():
        raise DatasetError("no positions are left to learn from", path=str(directories[0]))
    return learned.take(np.flatnonzero(is_taken)), held_out


def _all_of(directory: Path) -> Positions:
    """The positions of all parts that a data set has.

    Raises:
        DatasetError: it has none, or one is damaged.
    """
    parts = [split for split in SPLITS if (directory / f"{split}.npz").exists()]
    if not parts:
        raise DatasetError(f"{directory} has no NPZ file of a data set", path=str(directory))
    return joined([read_positions(directory, split) for split in parts])


def joined(sets: Sequence[Positions]) -> Positions:
    """All positions of some sets, each once: as the first one has it.

    Raises:
        DatasetError: they have different boards.
    """
    boards = {str(each.board) for each in sets}
    if len(boards) > 1:
        raise DatasetError(f"the data sets have different boards: {', '.join(sorted(boards))}")
    if len(sets) == 1:
        return sets[0]
    arrays = {name: np.concatenate([getattr(each, name) for each in sets]) for name in ARRAYS}
    together = Positions(**arrays, board=sets[0].board)
    _, first = np.unique(canonical(together), return_index=True)
    return together.take(np.sort(first))


def canonical(positions: Positions) -> Keys:
    """The canonical keys of positions, (n,)."""
    width, height = positions.board
    return canonical_keys(positions.keys, width=width, height=height)[0]


def near(positions: Positions, others: Positions) -> NDArray[np.bool_]:
    """Which positions are among others, or are neighbours of one of them.

    Raises:
        DatasetError: they have different boards.
    """
    if positions.board != others.board:
        raise DatasetError(
            f"the data sets have different boards: {positions.board}, {others.board}"
        )
    width, height = positions.board
    keys, known = canonical(positions), canonical(others)
    after, moves = children(known, width=width, height=height)
    found = np.isin(keys, np.concatenate([known, after[moves == MOVE_GOES_ON]]))
    for begin in range(0, len(keys), _PIECE):
        piece = np.ascontiguousarray(keys[begin : begin + _PIECE])
        after, moves = children(piece, width=width, height=height)
        is_parent = np.isin(after, known) & (moves == MOVE_GOES_ON)
        found[begin : begin + _PIECE] |= is_parent.any(axis=1)
    return found
