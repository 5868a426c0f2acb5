"""Final grids of many games in memory: three arrays, and a lookup that scans them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from c4core.arrays import split_keys
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.players.finals import tally_columns
from c4core.windows import stones_as_bits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from c4core.position import Position


class FinalGrids:
    """Finished games of one board.

    Args:
        first: the first player's stones of every game, as words of the engine's layout.
        second: the second player's stones.
        winner: 1 where the first player won, -1 where the second did, 0 for a draw.
        board: the board's size.

    Raises:
        ValueError: the arrays differ in length.
    """

    def __init__(
        self,
        first: NDArray[np.uint64],
        second: NDArray[np.uint64],
        winner: NDArray[np.int8],
        *,
        board: BoardSize = DEFAULT_BOARD,
    ) -> None:
        if not len(first) == len(second) == len(winner):
            raise ValueError(
                f"{len(first)} and {len(second)} words of stones, {len(winner)} winners: "
                "every game has one of each"
            )
        self.board = board
        self._first = np.ascontiguousarray(first, dtype=np.uint64)
        self._second = np.ascontiguousarray(second, dtype=np.uint64)
        self._winner = np.ascontiguousarray(winner, dtype=np.int8)

    @classmethod
    def from_positions(cls, positions: Iterable[Position]) -> Self:
        """The grids of games that are over.

        Raises:
            ValueError: the games have different boards, or one of them is not over.
        """
        finals = list(positions)
        board = finals[0].board if finals else DEFAULT_BOARD
        for position in finals:
            if position.board != board or not position.is_over:
                raise ValueError(f"{position!r} is no finished game on a {board} board")
        words = np.array([stones_as_bits(position) for position in finals], dtype=np.uint64)
        values = {"x": 1, "o": -1, None: 0}
        winners = np.array([values[position.winner] for position in finals], dtype=np.int8)
        words = words.reshape(-1, 2)
        return cls(words[:, 0], words[:, 1], winners, board=board)

    @classmethod
    def from_keys(
        cls,
        keys: NDArray[np.uint64],
        winner: NDArray[np.int8],
        *,
        board: BoardSize = DEFAULT_BOARD,
    ) -> Self:
        """The grids of games whose last positions have these keys.

        Args:
            keys: ``Position.key`` of the last position of every game.
            winner: 1, -1, or 0 for a draw.
            board: the board's size.
        """
        to_move, taken = split_keys(keys, board)
        other = taken ^ to_move
        is_first = _is_even(taken)
        first = np.where(is_first, to_move, other)
        second = np.where(is_first, other, to_move)
        return cls(first, second, winner, board=board)

    def __len__(self) -> int:
        """The number of games."""
        return len(self._winner)

    def words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int8]]:
        """The first player's stones, the second player's, and the winners; see the class."""
        return self._first, self._second, self._winner

    def tally(self, position: Position) -> tuple[tuple[int, int, int] | None, ...]:
        """For each column, the games whose final grid has all stones of the position after it.

        Args:
            position: a position that is not over.

        Returns:
            For every column ``(games, wins of the side to move, draws)``; None where it is full.

        Raises:
            ValueError: the position is of another board.
        """
        if position.board != self.board:
            raise ValueError(f"games on a {self.board} board say nothing about {position.board}")
        return tally_columns(position, self._first, self._second, self._winner)


def _is_even(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each word has an even number of bits."""
    folded = words.copy()
    for distance in (32, 16, 8, 4, 2, 1):
        folded ^= folded >> np.uint64(distance)
    even: NDArray[np.bool_] = (folded & np.uint64(1)) == 0
    return even
