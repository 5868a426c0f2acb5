"""What a strategy plays in which position, collected while its lines are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.proof.weakc4_errors import TooLargeError
from c4core.proof.weakc4_turns import canonical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.notation import BoardSize

PENDING: Final = 1 << 21
"""So many positions of a ply are collected before those met twice are dropped."""

MAX_KNOWN: Final = 1 << 23
"""Positions of a ply; the known solutions have up to 370,464."""


class KnownMoves:
    """One move for each position, of two mirror images for one.

    Where a position is met with several moves, the first is kept: if each of them wins against
    every reply, so does any choice among them, since the game gets longer with every move.
    """

    def __init__(self, board: BoardSize) -> None:
        self._board = board
        self._parts: dict[int, list[tuple[NDArray[np.uint64], NDArray[np.uint8]]]] = {}
        self._pending: dict[int, int] = {}

    def add(self, ply: int, keys: NDArray[np.uint64], columns: NDArray[np.uint8]) -> None:
        """Add positions of a ply, by their keys, and what is played in each.

        Raises:
            TooLargeError: there are too many.
        """
        width, height = self._board
        self._parts.setdefault(ply, []).append(canonical(keys, columns, width=width, height=height))
        self._pending[ply] = self._pending.get(ply, 0) + len(keys)
        if self._pending[ply] > PENDING:
            self.at(ply)

    def at(self, ply: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """The canonical keys of a ply in increasing order, and the columns in these images.

        Raises:
            TooLargeError: there are too many.
        """
        parts = self._parts.get(ply, [])
        if len(parts) != 1 or self._pending[ply]:
            keys = np.concatenate([part for part, _ in parts] or [np.zeros(0, dtype=np.uint64)])
            moves = np.concatenate([part for _, part in parts] or [np.zeros(0, dtype=np.uint8)])
            keys, first = np.unique(keys, return_index=True)
            if len(keys) > MAX_KNOWN:
                raise TooLargeError(
                    f"the solution leads to more than {MAX_KNOWN:,} positions with {ply} stones"
                )
            parts = [(keys, moves[first])]
            self._parts[ply] = parts
            self._pending[ply] = 0
        return parts[0]

    def count(self) -> int:
        """Positions in all."""
        return sum(len(self.at(ply)[0]) for ply in tuple(self._parts))
