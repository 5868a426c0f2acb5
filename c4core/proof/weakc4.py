"""What the two files say: entries of the opening, and diagrams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.notation import BoardSize
    from c4core.position import Position

LEVELS: Final = "0123456789abcdef"
"""The marks of a diagram's squares, the strongest first."""

Diagram: TypeAlias = tuple[int, ...]
"""For each level the squares that carry it, as bits in the order of a position's key."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the solution does in a position of the opening."""

    position: Position
    """The side that is to win is to move; the mirror image is meant as well."""
    is_diagram: bool
    """A diagram takes over, else a column is played."""
    number: int
    """Of the diagram or of the column, counted from 0."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A strategy that claims to win. :func:`c4core.proof.weakc4_check.check` says whether it does."""

    board: BoardSize
    entries: Mapping[int, Entry]
    """By the canonical keys of their positions."""
    diagrams: tuple[Diagram, ...]

    def find(self, position: Position) -> tuple[Entry, bool] | None:
        """The entry for a position, and whether it is for the mirror image."""
        entry = self.entries.get(position.canonical_key)
        return None if entry is None else (entry, entry.position.key != position.key)

    def diagram(self, number: int, *, is_mirrored: bool) -> Diagram:
        """A diagram or its mirror image."""
        diagram = self.diagrams[number]
        if not is_mirrored:
            return diagram
        width, stride = self.board.width, self.board.height + 1
        column = (1 << stride) - 1
        return tuple(
            sum(
                (squares >> stride * index & column) << stride * (width - 1 - index)
                for index in range(width)
            )
            for squares in diagram
        )
