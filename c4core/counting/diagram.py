r"""Sets of positions as decision diagrams, and the count of a board's positions ply by ply.

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

An unfinished count is kept in a file:

    8  bytes   "\x89C4count"
    u16        version of the format, 1
    u8 u8      width, height
    u32        number of plies counted so far, P
    P times    u64 positions, u64 won positions, u64 nodes
    B times    u32 nodes of a level of the last ply's open positions; B = width * (height + 1)
    B levels   for each node u32 u32, the nodes of the next level after a 0 and after a 1
    32 bytes   SHA-256 of all bytes before

Numbers are little-endian.
"""

from __future__ import annotations

import hashlib
import struct
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
from c4core.errors import BoardError, C4Error
from c4core.files import atomic_file, check_regular_file
from c4core.notation import check_board, check_narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Level = NDArray[np.uint32]
Line = tuple[tuple[int, int], ...]

MOST_BYTES: Final = 8 << 30
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


class CountingError(C4Error):
    """Base class of all errors of counting."""


class CountMemoryError(CountingError):
    """The diagrams need more memory than ``most_bytes``."""


@dataclass(frozen=True, slots=True, eq=False)
class Diagram:
    """A set of positions of one board."""

    width: int
    height: int
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


def empty_board(width: int, height: int) -> Diagram:
    """Return the set that has only the empty board."""
    column = [[1, 0]] * height + [[0, 1]]
    levels = tuple(np.array([[0, 0], arcs], dtype=np.uint32) for arcs in column * width)
    return Diagram(width, height, levels)


def moved(positions: Diagram, *, first_player: bool, most_bytes: int = MOST_BYTES) -> Diagram:
    """Return the positions after a move of one side into any column that is not full."""
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
    """Return the positions that are in both of two sets of the same board."""

    def read(number: int, states: KeyTable, following: KeyTable | None) -> Level:
        return meet_level(states, one.levels[number], other.levels[number], following)

    root = [one.root, other.root]
    return _explored(one.width, one.height, root, read, most_bytes=most_bytes)


def without_four(
    width: int, height: int, *, first_player: bool, most_bytes: int = MOST_BYTES
) -> Diagram:
    """Return all fillings of a board without a four of one side, reachable or not."""
    # In the order of the bits. A column's first bit is a square above the board, without lines.
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
    """Return the lines of four squares, each a (column, row) pair."""
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
    for number in range(width * (height + 1) - 1):
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
    return Diagram(width, height, tuple(reversed(levels)))


@dataclass(frozen=True, slots=True)
class PlyCount:
    """The positions with a given number of stones."""

    positions: int
    """Number of positions that games lead to; mirror images count separately."""
    won: int
    """Number of positions in which the last stone made a four."""
    nodes: int
    """Number of nodes in the diagram of all positions."""


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """A count up to some ply."""

    plies: tuple[PlyCount, ...]
    open_positions: Diagram
    """The positions of the last ply without a four."""

    @property
    def is_done(self) -> bool:
        """Whether all plies of the board are counted."""
        board = self.open_positions
        return self.plies[-1].positions == self.plies[-1].won or len(self.plies) > (
            board.width * board.height
        )

    @property
    def positions(self) -> int:
        """Number of positions in all plies counted so far."""
        return sum(ply.positions for ply in self.plies)


def begin(width: int, height: int) -> Progress:
    """Return the count of ply 0, the empty board; BoardError if the size is not supported."""
    check_narrow(check_board(width, height), "counts of positions")
    positions = empty_board(width, height)
    return Progress((PlyCount(1, 0, positions.nodes),), positions)


def count(progress: Progress, *, most_bytes: int = MOST_BYTES) -> Iterator[Progress]:
    """Count the remaining plies; ``progress`` is from :func:`begin` or a file."""
    if progress.is_done:
        return
    board = progress.open_positions
    without = [
        without_four(board.width, board.height, first_player=first, most_bytes=most_bytes)
        for first in (True, False)
    ]
    while not progress.is_done:
        even = len(progress.plies) % 2 == 0
        positions = moved(progress.open_positions, first_player=not even, most_bytes=most_bytes)
        open_positions = common(positions, without[even], most_bytes=most_bytes)
        number = positions.positions
        ply = PlyCount(number, number - open_positions.positions, positions.nodes)
        progress = Progress((*progress.plies, ply), open_positions)
        yield progress


MAGIC: Final = b"\x89C4count"
FORMAT_VERSION: Final = 1

_HEADER: Final = struct.Struct("<8sHBBI")
_PLY: Final = struct.Struct("<QQQ")
_DIGEST_BYTES: Final = hashlib.sha256().digest_size


class CountFileError(CountingError):
    """A file is not a saved count, or it is damaged."""


def save_count(path: Path, progress: Progress) -> None:
    """Save a count in a file, which is written completely or not at all."""
    board = progress.open_positions
    digest = hashlib.sha256()
    with atomic_file(path) as beside, beside.open("wb") as file:
        head = _HEADER.pack(MAGIC, FORMAT_VERSION, board.width, board.height, len(progress.plies))
        plies = b"".join(_PLY.pack(ply.positions, ply.won, ply.nodes) for ply in progress.plies)
        sizes = np.array([len(level) - 1 for level in board.levels], dtype="<u4").tobytes()
        levels = (level[1:].astype("<u4", copy=False).tobytes() for level in board.levels)
        for part in (head, plies, sizes, *levels):
            digest.update(part)
            file.write(part)
        file.write(digest.digest())


def load_count(path: Path) -> Progress:
    """Return the count that is saved in a file."""
    check_regular_file(path)
    data = path.read_bytes()
    if data[: len(MAGIC)] != MAGIC:
        raise CountFileError(f"{path}: this is not a saved count")
    if hashlib.sha256(data[:-_DIGEST_BYTES]).digest() != data[-_DIGEST_BYTES:]:
        raise CountFileError(f"{path}: its end is missing, or it was changed")
    try:
        return _parsed(data[:-_DIGEST_BYTES])
    except (BoardError, ValueError, struct.error) as error:
        raise CountFileError(f"{path}: its content is impossible: {error}") from None


def _parsed(data: bytes) -> Progress:
    _, version, width, height, plies = _HEADER.unpack_from(data)
    if version != FORMAT_VERSION:
        raise ValueError(f"its format has version {version}, not {FORMAT_VERSION}")
    check_narrow(check_board(width, height), "counts of positions")
    place = _HEADER.size + plies * _PLY.size
    counted = tuple(PlyCount(*ply) for ply in _PLY.iter_unpack(data[_HEADER.size : place]))
    sizes = np.frombuffer(data, dtype="<u4", count=width * (height + 1), offset=place)
    nodes = np.frombuffer(data[place + sizes.nbytes :], dtype="<u4").reshape(-1, 2)
    if not counted or sizes.sum() != len(nodes):
        raise ValueError("its length does not match its levels")
    none = np.zeros((1, 2), dtype=np.uint32)
    levels = [np.concatenate([none, level]) for level in np.split(nodes, np.cumsum(sizes)[:-1])]
    # An arc to a node that does not exist would be followed into foreign memory.
    if any(
        len(level) and level.max() > size
        for level, size in zip(levels, [*sizes[1:], 1], strict=True)
    ):
        raise ValueError("a node does not exist")
    open_positions = Diagram(width, height, tuple(levels))
    if sizes[0] > 1 or open_positions.positions != counted[-1].positions - counted[-1].won:
        raise ValueError("the diagram and the last ply differ in the number of positions")
    return Progress(counted, open_positions)
