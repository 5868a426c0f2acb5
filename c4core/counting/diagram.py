"""Sets of positions as decision diagrams, and the count of a board's positions ply by ply.

A position is a word with ``height + 1`` bits for each column. The columns are read from left to
right, each from the top down: a 0 for each empty square, a 1, and the column's stones, 1 for the
first player's. A diagram is a set of such words; steps.pyx has a picture.

The number of nodes depends on the order of the columns. All plies of a board of 6x5 have 13.1
million nodes in this order, 11.3 million from the middle outwards, and 34.4 million from the
outside in. But on 7x6 the order from the middle is worse: 35.3 million nodes instead of 23.0
million for the positions with 26 stones.

The positions of a ply follow by one move from the *open* positions of the previous ply, in which
neither side has a four. A position is open if the side that has just moved does not have a four,
since the other side did not have one before. A full board has no moves, so it is not a special
case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from c4core.counting.steps import (
    START_OF_COLUMN,
    KeyTable,
    count_level,
    lines_level,
    meet_level,
    move_level,
    reduce_level,
)
from c4core.errors import C4Error
from c4core.notation import BoardSize, check_board, check_narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Level = NDArray[np.uint32]
Line = tuple[tuple[int, int], ...]

MOST_BYTES: Final = 8 << 30
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


class CountMemoryError(C4Error):
    """The diagrams need more memory than ``most_bytes``."""


@dataclass(frozen=True, slots=True, eq=False)
class Diagram:
    """A set of positions of one board."""

    board: BoardSize
    levels: tuple[Level, ...]
    """An array of shape (nodes + 1, 2) for each bit; the first one has at most one node."""

    @property
    def nodes(self) -> int:
        """The number of nodes in all levels."""
        return sum(len(level) - 1 for level in self.levels)

    @property
    def root(self) -> int:
        """The node at which words begin; 0 for the empty set."""
        return len(self.levels[0]) - 1

    @property
    def positions(self) -> int:
        """The number of positions in the set."""
        counts = np.array([0, 1], dtype=np.uint64)
        for level in reversed(self.levels):
            counts = count_level(level, counts)
        return int(counts[self.root])


def empty_board(board: BoardSize) -> Diagram:
    """Return the set that has only the empty board."""
    column = [[1, 0]] * board.height + [[0, 1]]
    levels = tuple(np.array([[0, 0], arcs], dtype=np.uint32) for arcs in column * board.width)
    return Diagram(board, levels)


def moved(positions: Diagram, *, first_player: bool, most_bytes: int = MOST_BYTES) -> Diagram:
    """Return the positions after a move of one side into any column that is not full."""
    height, levels = positions.board.height, positions.levels
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
        positions.board,
        [positions.root, START_OF_COLUMN, 0],
        read,
        words=lambda number: 3 + number // (height + 1),
        most_bytes=most_bytes,
    )


def common(one: Diagram, other: Diagram, *, most_bytes: int = MOST_BYTES) -> Diagram:
    """Return the positions that are in both of two sets of the same board."""

    def read(number: int, states: KeyTable, following: KeyTable | None) -> Level:
        return meet_level(states, one.levels[number], other.levels[number], following)

    return _explored(one.board, [one.root, other.root], read, most_bytes=most_bytes)


def without_four(board: BoardSize, *, first_player: bool, most_bytes: int = MOST_BYTES) -> Diagram:
    """Return all fillings of a board without a four of one side, reachable or not."""
    width, height = board
    # In the order of the bits. A column's first bit is a square above the board, without lines.
    squares = [(column, row) for column in range(width) for row in range(height, -1, -1)]
    place = {square: number for number, square in enumerate(squares)}
    lines = [sorted(line, key=place.__getitem__) for line in _lines(board)]
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
    return _explored(board, root, read, most_bytes=most_bytes)


def _lines(board: BoardSize) -> list[Line]:
    """Return the lines of four squares, each a (column, row) pair."""
    width, height = board
    lines = [
        tuple((column + right * step, row + up * step) for step in range(4))
        for column in range(width)
        for row in range(height)
        for right, up in DIRECTIONS
    ]
    return [line for line in lines if line[3][0] < width and 0 <= line[3][1] < height]


def _explored(
    board: BoardSize,
    root: list[int],
    read: Callable[[int, KeyTable, KeyTable | None], Level],
    *,
    words: Callable[[int], int] | None = None,
    most_bytes: int,
) -> Diagram:
    """Return the diagram of an operation.

    ``root`` is the state before the first bit. ``read`` reads a bit: it gets the bit's number, the
    states before the bit, and a table for the states after the bit (None for the last bit). It
    returns the arcs of the states. ``words`` gives the number of words of a state before a bit;
    without it, all states have as many words as the root.
    """
    states = KeyTable(len(root))
    states.add(root)
    arcs: list[Level] = []
    taken = 0
    for number in range(board.width * (board.height + 1) - 1):
        following = KeyTable(len(root) if words is None else words(number + 1))
        arcs.append(read(number, states, following))
        taken += arcs[-1].nbytes
        if taken + states.nbytes + following.nbytes > most_bytes:
            raise CountMemoryError(f"the diagrams need more than {most_bytes >> 20:,} MB of memory")
        states = following
    arcs.append(read(len(arcs), states, None))
    levels: list[Level] = []
    nodes = np.array([0, 1], dtype=np.uint32)
    while arcs:  # arcs leave the list one by one, so that their memory is freed
        level, nodes = reduce_level(arcs.pop(), nodes)
        levels.append(level)
    return Diagram(board, tuple(reversed(levels)))


@dataclass(frozen=True, slots=True)
class PlyCount:
    """The positions with a given number of stones."""

    positions: int
    """Number of positions that games lead to; mirror images count separately."""
    won: int
    """Number of positions in which the last stone made a four."""
    nodes: int
    """Number of nodes in the diagram of all positions."""


def count(board: BoardSize, *, most_bytes: int = MOST_BYTES) -> Iterator[PlyCount]:
    """Count a board's positions; yield every ply, the empty board first."""
    check_narrow(check_board(*board), "counts of positions")
    positions = empty_board(board)
    yield PlyCount(1, 0, positions.nodes)
    without = [
        without_four(board, first_player=first, most_bytes=most_bytes) for first in (False, True)
    ]
    for ply in range(1, board.cells + 1):
        is_first = ply % 2 == 1
        positions = moved(positions, first_player=is_first, most_bytes=most_bytes)
        number, nodes = positions.positions, positions.nodes
        positions = common(positions, without[is_first], most_bytes=most_bytes)
        yield PlyCount(number, number - positions.positions, nodes)
        if not positions.positions:
            return
