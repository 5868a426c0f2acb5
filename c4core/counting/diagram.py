"""Sets of positions as decision diagrams, and what is done with them.

A position is a word of ``height + 1`` bits a column, columns from left to right, each read
from the top down: a 0 for each empty square, a 1, and the column's stones, 1 for the first
player's. A diagram holds a set of such words; steps.pyx has its picture.

The number of nodes depends on the order of the columns. All plies of a board of 6x5 have 13.1
million in this order, 11.3 from the middle outwards, 34.4 from the outside in. But on 7x6 the order
from the middle is the worse one: 35.3 million instead of 23.0 for the positions with 26 stones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from c4core.counting.errors import CountMemoryError
from c4core.counting.keys import KeyTable
from c4core.counting.steps import (
    START_OF_COLUMN,
    count_level,
    lines_level,
    meet_level,
    move_level,
    reduce_level,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Level = NDArray[np.uint32]
Line = tuple[tuple[int, int], ...]

MOST_BYTES: Final = 8 << 30
"""The memory that an operation may take if nothing else is said."""
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True, slots=True, eq=False)
class Diagram:
    """A set of positions of one board."""

    width: int
    height: int
    levels: tuple[Level, ...]
    """For each bit an array of shape (nodes + 1, 2); the first one has one node, or none."""

    @property
    def nodes(self) -> int:
        """The number of nodes of all levels."""
        return sum(len(level) - 1 for level in self.levels)

    @property
    def root(self) -> int:
        """The node where words begin; 0 for the empty set."""
        return len(self.levels[0]) - 1

    @property
    def positions(self) -> int:
        """The number of positions in the set."""
        counts = np.array([0, 1], dtype=np.uint64)
        for level in reversed(self.levels):
            counts = count_level(level, counts)
        return int(counts[self.root])


def empty_board(width: int, height: int) -> Diagram:
    """The set that holds the empty board and nothing else."""
    column = [[1, 0]] * height + [[0, 1]]
    levels = tuple(np.array([[0, 0], arcs], dtype=np.uint32) for arcs in column * width)
    return Diagram(width, height, levels)


def moved(positions: Diagram, *, first_player: bool, most_bytes: int = MOST_BYTES) -> Diagram:
    """The positions after a move of a side, into any column that is not full.

    Args:
        positions: those before the move.
        first_player: whether the first player moves.
        most_bytes: the memory that this may take.

    Raises:
        CountMemoryError: it takes more.
    """
    height, levels = positions.height, positions.levels
    last_column = len(levels) - 1 - height

    def read(number: int, states: KeyTable, following: KeyTable | None) -> Level:
        return move_level(
            states,
            levels[number],
            None if following is None else levels[number + 1],
            following,
            bit=height - number % (height + 1),
            mover=first_player,
            last_column=number >= last_column,
        )

    return _explored(
        positions.width,
        height,
        [positions.root, START_OF_COLUMN, 0],
        read,
        words=lambda number: 3 + number // (height + 1),
        most_bytes=most_bytes,
    )


def common(one: Diagram, other: Diagram, *, most_bytes: int = MOST_BYTES) -> Diagram:
    """The positions that are in both of two sets.

    Args:
        one: a set.
        other: another one, of the same board.
        most_bytes: the memory that this may take.

    Raises:
        CountMemoryError: it takes more.
    """

    def read(number: int, states: KeyTable, following: KeyTable | None) -> Level:
        return meet_level(states, one.levels[number], other.levels[number], following)

    root = [one.root, other.root]
    return _explored(one.width, one.height, root, read, most_bytes=most_bytes)


def without_four(
    width: int, height: int, *, first_player: bool, most_bytes: int = MOST_BYTES
) -> Diagram:
    """All fillings of a board where a side has no four, those that no game leads to included.

    Args:
        width: columns.
        height: rows.
        first_player: whether the side is the first player's.
        most_bytes: the memory that this may take.

    Raises:
        CountMemoryError: it takes more.
    """
    # In the order of the bits. A column's first bit has the square above the board: no line's.
    squares = [(column, row) for column in range(width) for row in range(height, -1, -1)]
    place = {square: number for number, square in enumerate(squares)}
    lines = [sorted(line, key=place.__getitem__) for line in _lines(width, height)]
    words = -(-len(lines) // 32) or 1

    def masks(chosen: list[bool]) -> Level:
        bits = np.zeros(32 * words, dtype=np.uint8)
        bits[: len(chosen)] = chosen
        return np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)

    def read(number: int, states: KeyTable, following: KeyTable | None) -> Level:
        square = squares[number]
        return lines_level(
            states,
            following,
            masks([square in line for line in lines]),
            masks([square == line[0] for line in lines]),
            masks([square == line[-1] for line in lines]),
            bit=square[1],
            side=first_player,
        )

    root = [START_OF_COLUMN, *[0] * words]
    return _explored(width, height, root, read, most_bytes=most_bytes)


def _lines(width: int, height: int) -> list[Line]:
    """The lines of four squares, each a (column, row) pair."""
    lines = [
        tuple((column + right * step, row + up * step) for step in range(4))
        for column in range(width)
        for row in range(height)
        for right, up in DIRECTIONS
    ]
    return [line for line in lines if line[3][0] < width and 0 <= line[3][1] < height]


def _explored(
    width: int,
    height: int,
    root: list[int],
    read: Callable[[int, KeyTable, KeyTable | None], Level],
    *,
    words: Callable[[int], int] | None = None,
    most_bytes: int,
) -> Diagram:
    """The diagram of an operation.

    Args:
        width: columns.
        height: rows.
        root: the state before the first bit.
        read: reads a bit: from its number and the states before it to their arcs, with a table for
            the states after it, which is None after the last bit.
        words: of a state before the bit of a number, if not all have as many as the root.
        most_bytes: the memory that this may take.
    """
    states = KeyTable(len(root))
    states.add(root)
    arcs: list[Level] = []
    taken = 0
    for number in range(width * (height + 1) - 1):
        following = KeyTable(len(root) if words is None else words(number + 1))
        arcs.append(read(number, states, following))
        taken += arcs[-1].nbytes
        if taken + states.nbytes + following.nbytes > most_bytes:
            raise CountMemoryError(
                f"the diagrams need more than {most_bytes >> 20:,} MB of memory",
                most_bytes=most_bytes,
            )
        states = following
    arcs.append(read(len(arcs), states, None))
    levels: list[Level] = []
    nodes = np.array([0, 1], dtype=np.uint32)
    while arcs:  # taken off the list one by one, so that their memory is free again
        level, nodes = reduce_level(arcs.pop(), nodes)
        levels.append(level)
    return Diagram(width, height, tuple(reversed(levels)))
