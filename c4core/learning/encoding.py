"""Positions and final grids as input of networks.

*Planes* are ``uint8`` (n, 2, height, width). Plane 0 has the stones of one side, plane 1 those of
the other; row 0 is the bottom row. A *grid* in the form of Brewer 2017 has one plane, with 1 for
the stones of one side, -1 for the other's and 0 for an empty square; row 0 is the top row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from c4core.arrays import split_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.position import Position


def square_bits(board: BoardSize) -> NDArray[np.uint64]:
    """The bit of every square in the engine's words: (height, width); row 0 is the bottom row."""
    rows, columns = np.indices((board.height, board.width))
    shifts = columns * (board.height + 1) + rows
    bits: NDArray[np.uint64] = np.uint64(1) << shifts.astype(np.uint64)
    return bits


def planes_of_words(
    own: NDArray[np.uint64], other: NDArray[np.uint64], board: BoardSize
) -> NDArray[np.uint8]:
    """Planes from stones as words of the engine's layout.

    Args:
        own: (n,), the stones for plane 0.
        other: (n,), the stones for plane 1.
        board: the board's size.
    """
    bits = square_bits(board)
    words = np.stack([own, other], axis=1)[:, :, np.newaxis, np.newaxis]
    planes: NDArray[np.uint8] = ((words & bits) != 0).astype(np.uint8)
    return planes


def planes_of_positions(positions: Sequence[Position], *, moved: bool) -> NDArray[np.uint8]:
    """Planes of positions of one board.

    Args:
        positions: at least one.
        moved: whether plane 0 is for the side that has just moved, and not for the side to move.
    """
    board = positions[0].board
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    own, taken = split_keys(keys, board)
    other = own ^ taken
    return planes_of_words(other, own, board) if moved else planes_of_words(own, other, board)


def grids_of_planes(planes: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Planes as grids (n, 1, height, width): 1 for the stones of plane 0, -1 for plane 1."""
    grids = planes[:, :1].astype(np.int8) - planes[:, 1:].astype(np.int8)
    return np.ascontiguousarray(grids[:, :, ::-1])
