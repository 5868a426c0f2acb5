"""Many positions at a time, as arrays of the engine's words (layout picture in board.pyx)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.notation import BoardSize


def split_keys(
    keys: NDArray[np.uint64], board: BoardSize
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The stones of the side to move, and those of both, from positions' keys.

    Args:
        keys: of positions, canonical or not; for other numbers the words are nonsense.
        board: the size of all of them.
    """
    to_move = np.zeros_like(keys)
    taken = np.zeros_like(keys)
    stride = board.height + 1
    for column in range(board.width):
        shift = np.uint64(column * stride)
        # The stones of the side to move, and above them a mark at the column's height.
        bits = (keys >> shift) & np.uint64((1 << stride) - 1)
        below_mark = bits >> np.uint64(1)
        for distance in (1, 2, 4, 8, 16):
            below_mark |= below_mark >> np.uint64(distance)
        taken |= below_mark << shift
        to_move |= (bits & below_mark) << shift
    return to_move, taken


def squares_of(words: NDArray[np.uint64], board: BoardSize) -> NDArray[np.uint8]:
    """Which squares have a stone: shape (positions, rows, columns), row 0 at the bottom."""
    squares = np.empty((len(words), board.height, board.width), dtype=np.uint8)
    stride = board.height + 1
    for column in range(board.width):
        for row in range(board.height):
            squares[:, row, column] = (words >> np.uint64(column * stride + row)) & np.uint64(1)
    return squares


def are_over(keys: NDArray[np.uint64], board: BoardSize) -> NDArray[np.bool_]:
    """Which positions are won by the last move, or full.

    Args:
        keys: of positions, canonical or not.
        board: the size of all of them.
    """
    to_move, taken = split_keys(keys, board)
    stride = board.height + 1
    over: NDArray[np.bool_] = np.all(squares_of(taken, board), axis=(1, 2))
    for step in (1, stride - 1, stride, stride + 1):
        over |= _have_four(taken ^ to_move, np.uint64(step))
    return over


def _have_four(words: NDArray[np.uint64], step: np.uint64) -> NDArray[np.bool_]:
    """Which words have four bits at a distance from one another; no bit may lie above a column."""
    pairs = words & (words >> step)
    fours: NDArray[np.bool_] = (pairs & (pairs >> (step + step))) != 0
    return fours
