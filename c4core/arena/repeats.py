"""Finds repeated games: by their moves, or by their final grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from c4core.notation import column_label

if TYPE_CHECKING:
    from collections.abc import Hashable

    from c4core.arena.files import GameEntry

Sameness = Literal["moves", "grids"]

_MIRRORS: Final = {
    width: str.maketrans(
        {column_label(column): column_label(width - 1 - column) for column in range(width)}
    )
    for width in range(1, 33)
}
"""Maps each move's character to its mirror image, for each width of the board."""


class Repeats:
    """Remembers games, and recognizes those that it has seen before.

    Every different game takes some 150 bytes of memory.

    Args:
        by: what makes two games with the same winner equal: the start and the moves (a game without
            moves is compared by its final grid), or the final grid alone.
        mirrors: whether a game equals its mirror image.

    Attributes:
        repeated: the number of repeated games so far.
    """

    def __init__(self, by: Sameness = "moves", *, mirrors: bool = False) -> None:
        self.repeated = 0
        self._identity = _by_moves if by == "moves" else _by_grid
        self._mirrors = mirrors
        self._seen: set[Hashable] = set()

    def __len__(self) -> int:
        """The number of different games."""
        return len(self._seen)

    def is_new(self, entry: GameEntry) -> bool:
        """Whether no earlier game equals this one. The game is remembered."""
        before = len(self._seen)
        self._seen.add((entry.board, entry.winner, self._identity(entry, self._mirrors)))
        is_new = len(self._seen) > before
        self.repeated += not is_new
        return is_new


def mirrored_moves(moves: str, width: int) -> str:
    """The moves of the mirror image."""
    return moves.translate(_MIRRORS[width])


def _by_moves(entry: GameEntry, mirrors: bool) -> Hashable:  # noqa: FBT001  (one of two functions)
    if entry.moves is None:
        return _by_grid(entry, mirrors)
    begin = entry.start.key if entry.start.ply else 0
    if not mirrors:
        return begin, entry.moves
    other_begin = entry.start.mirrored().key if begin else 0
    return min((begin, entry.moves), (other_begin, mirrored_moves(entry.moves, entry.board.width)))


def _by_grid(entry: GameEntry, mirrors: bool) -> Hashable:  # noqa: FBT001
    return entry.final.canonical_key if mirrors else entry.final.key
