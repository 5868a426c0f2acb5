"""Many games at once, as arrays of words, so that self-play evaluates positions in batches.

The words have the engine's layout (board.pyx): column after column from the left, each from the
bottom up, with a guard bit on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from c4core.learning.encoding import planes_of_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Words = NDArray[np.uint64]


class Games:
    """n games on one board with the same number of stones.

    Args:
        board: the board's size.
        n: the number of games.

    Attributes:
        own: (n,), the stones of the side to move.
        mask: (n,), all stones.
        numbers: (n,), the number of each game; games that are over are taken out.
    """

    def __init__(self, board: BoardSize, n: int) -> None:
        self.own = np.zeros(n, dtype=np.uint64)
        self.mask = np.zeros(n, dtype=np.uint64)
        self.numbers = np.arange(n)
        self._board = board
        stride = board.height + 1
        shifts = np.arange(board.width) * stride
        self._bottom = np.uint64(1) << shifts.astype(np.uint64)
        self._top = self._bottom << np.uint64(board.height - 1)
        self._full = np.uint64(sum(((1 << board.height) - 1) << int(shift) for shift in shifts))
        self._steps = [np.uint64(step) for step in (1, stride - 1, stride, stride + 1)]

    def __len__(self) -> int:
        """The number of games that are not over."""
        return len(self.own)

    @property
    def planes(self) -> NDArray[np.uint8]:
        """(n, 2, height, width) of the side to move."""
        return planes_of_words(self.own, self.own ^ self.mask, self._board)

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """(n, width): whether each column is not full."""
        open_: NDArray[np.bool_] = (self.mask[:, np.newaxis] & self._top) == 0
        return open_

    def play(self, columns: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Play a column in each game, and take out the games that this ends.

        Args:
            columns: (n,), an open column for each game.

        Returns:
            Two arrays (n,): whether the side that moved has won, and whether the game is over.
        """
        squares = (self.mask + self._bottom[columns]) & ~self.mask
        moved = self.own | squares
        self.own ^= self.mask
        self.mask |= squares
        won = self._has_four(moved)
        over = won | (self.mask == self._full)
        self.own, self.mask = self.own[~over], self.mask[~over]
        self.numbers = self.numbers[~over]
        return won, over

    def _has_four(self, words: Words) -> NDArray[np.bool_]:
        found = np.zeros(len(words), dtype=np.uint64)
        for step in self._steps:
            pairs = words & (words >> step)
            found |= pairs & (pairs >> (step * np.uint64(2)))
        four: NDArray[np.bool_] = found != 0
        return four
