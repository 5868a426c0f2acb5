"""A diagram followed from a position to the ends of all games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.proof.weakc4_errors import HoleError, TooLargeError
from c4core.proof.weakc4_turns import NO_MOVE, WINS, choose, replies

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from c4core.position import Position
    from c4core.proof.weakc4_known_moves import KnownMoves
    from c4core.proof.weakc4 import Diagram

MAX_PLY_POSITIONS: Final = 1 << 20
"""Of one diagram and one ply; more are not held in memory."""

UNDECIDED: Final = "the diagram names no move: on no level exactly one square can be played"
ENDS: Final = {1: "the other side has won", 2: "the board is full, and nobody has won"}
"""What is wrong where a game ends otherwise than by a win, by ``Replies.ends``."""


class _Lines:
    """How the positions of a ply were reached: enough to name the moves to one of them."""

    def __init__(self) -> None:
        self._plies: list[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]] = []

    def add(
        self, columns: NDArray[np.uint8], parents: NDArray[np.int64], replied: NDArray[np.uint8]
    ) -> None:
        """The next positions come from these parents, by their columns and these replies."""
        self._plies.append((columns, parents, replied))

    def to(self, index: int) -> tuple[int, ...]:
        """The columns that lead to a position of the last ply."""
        line: list[int] = []
        for columns, parents, replied in reversed(self._plies):
            parent = int(parents[index])
            line += [int(replied[index]), int(columns[parent])]
            index = parent
        return tuple(reversed(line))


def follow(
    position: Position,
    diagram: Diagram,
    moves: KnownMoves,
    progress: Callable[[int], object] = lambda _positions: None,
) -> None:
    """Follow a diagram ply by ply, against every reply.

    Args:
        position: where the diagram takes over; its side to move follows it.
        diagram: the squares of its levels.
        moves: collects what is played.
        progress: is called after every ply with the number of positions met there.

    Raises:
        HoleError: a reply leads to no win; its moves are those since the position. No shorter line
            does the same.
        TooLargeError: it leads to too many positions.
    """
    width, height = position.board
    levels = np.array(diagram, dtype=np.uint64)
    lines = _Lines()
    keys = np.array([position.key], dtype=np.uint64)
    for ply in range(position.ply, position.board.cells + 1, 2):
        if len(keys) > MAX_PLY_POSITIONS:
            raise TooLargeError(
                f"a diagram leads to more than {MAX_PLY_POSITIONS:,} positions with {ply} stones"
            )
        columns = choose(keys, levels, width=width, height=height)
        undecided = np.flatnonzero(columns == NO_MOVE)
        if undecided.size:
            raise HoleError(UNDECIDED, moves=lines.to(int(undecided[0])))
        played = columns != WINS
        moves.add(ply, keys[played], columns[played])
        progress(len(keys))
        after = replies(keys, columns, width=width, height=height)
        ended = np.flatnonzero(after.ends)
        if ended.size:
            lines.add(columns, after.parents, after.columns)
            line = lines.to(int(ended[0]))
            # The board may be full before the reply.
            raise HoleError(
                ENDS[int(after.ends[ended[0]])],
                moves=tuple(column for column in line if column < width),
            )
        keys, first = np.unique(after.keys, return_index=True)
        lines.add(columns, after.parents[first], after.columns[first])
