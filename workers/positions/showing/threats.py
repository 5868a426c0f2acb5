"""Threats: the empty cells where a side's stone would complete four in a row.

Cells are bits of one number: column c and row r, both from 0 and row 0 at the bottom, are bit
``c * (height + 1) + r``. The bit above each column stays 0, so that no line runs over the edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.position import Position, Side


def find_threats(position: Position) -> dict[Side, list[tuple[int, int]]]:
    """The threats of both sides, whether they can be played yet or not: (column, row) from 0.

    Args:
        position: any; none of them counts as played.
    """
    width, height = position.width, position.height
    stride = height + 1
    stones: dict[Side, int] = {"x": 0, "o": 0}
    for column, filled in enumerate(position.heights):
        for row in range(filled):
            side = position.stone_at(column, row)
            if side is not None:
                stones[side] |= 1 << (column * stride + row)
    cells = sum(((1 << height) - 1) << (column * stride) for column in range(width))
    empty = cells & ~(stones["x"] | stones["o"])
    return {
        side: list(_cells(_completing(own, height) & empty, stride)) for side, own in stones.items()
    }


def _completing(stones: int, height: int) -> int:
    """The bits, on the board or not, that complete four with three of these."""
    found = 0
    for step in (1, height, height + 1, height + 2):
        pairs = stones & (stones >> step)  # the first of two neighbours
        found |= (pairs & (stones >> 2 * step)) << 3 * step  # _ behind XXX
        found |= (pairs & (stones >> 2 * step)) >> step  # _ before XXX
        found |= (pairs & (stones >> 3 * step)) << 2 * step  # XX_X
        found |= (stones & (pairs >> 2 * step)) << step  # X_XX
    return found


def _cells(bits: int, stride: int) -> Iterator[tuple[int, int]]:
    while bits:
        lowest = bits & -bits
        yield divmod(lowest.bit_length() - 1, stride)
        bits ^= lowest
