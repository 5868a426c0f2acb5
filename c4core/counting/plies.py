"""The positions of a board, counted ply by ply.

A ply's positions are those after one move from the *open* ones of the ply before: those where
nobody has a four. A position is open if the side that has just moved has none, since the other side
had none before. A full board has no move, so it needs no rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.counting.diagram import MOST_BYTES, Diagram, common, empty_board, moved, without_four
from c4core.notation import check_board

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class PlyCount:
    """What there is with some number of stones."""

    positions: int
    """Positions that games lead to, mirror images counted one by one."""
    won: int
    """Those of them where the last stone made a four."""
    nodes: int
    """Of the diagram of all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """A count up to some ply."""

    plies: tuple[PlyCount, ...]
    """Ply 0 first."""
    open_positions: Diagram
    """The positions of the last ply that are counted on from."""

    @property
    def is_done(self) -> bool:
        """Whether there is no ply after the last one."""
        board = self.open_positions
        return self.plies[-1].positions == self.plies[-1].won or len(self.plies) > (
            board.width * board.height
        )

    @property
    def positions(self) -> int:
        """Positions of all plies up to here."""
        return sum(ply.positions for ply in self.plies)


def begin(width: int, height: int) -> Progress:
    """The count of the empty board alone.

    Raises:
        BoardError: impossible size.
    """
    check_board(width, height)
    positions = empty_board(width, height)
    return Progress((PlyCount(1, 0, positions.nodes),), positions)


def count(progress: Progress, *, most_bytes: int = MOST_BYTES) -> Iterator[Progress]:
    """Count on, to the end.

    Args:
        progress: what is counted already, from :func:`begin` or a file.
        most_bytes: the memory that the diagrams may take.

    Yields:
        The count after each ply.

    Raises:
        CountMemoryError: the diagrams need more memory.
    """
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
