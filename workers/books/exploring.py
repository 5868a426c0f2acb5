"""A book as a tree to walk in: what it says of a position, of each move, and how much lies below.

How much: the positions of the book that can follow after some more plies, mirror images and
transpositions counted once. To count those of the book's last ply below an early position would
take seconds (the book of 7x6 has 5.8 million there), so it looks at most :data:`DEPTH` plies below
a move. Counts are kept: a book does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import MOVE_GOES_ON, children
from c4core.evaluation import NO_SCORE, signed, table_html
from c4core.notation import column_label

if TYPE_CHECKING:
    from c4core.book import Book
    from c4core.position import Position

DEPTH: Final = 5
"""Plies below a move whose positions are counted, at most."""

KEPT: Final = 20_000
"""Counts that are kept: each is some 200 bytes."""


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move, and what a book says of it."""

    column: int
    """Where, 0-based."""
    position: Position
    """After the move."""
    score: int | None
    """For the side that moves; None where the book does not know. A win at once is known."""
    continuations: int
    """Positions of the book that can follow, on the ply that was asked about."""


class BookMoves(list[BookMove]):
    """The moves of a position."""

    def _repr_html_(self) -> str:
        """The moves as a table: notebooks show it."""
        rows = [
            (column_label(move.column), signed(move.score), f"{move.continuations:,}")
            for move in self
        ]
        return table_html(("column", "score", "positions that can follow"), rows)


def counted_ply(book: Book, position: Position) -> int:
    """The ply whose positions :func:`explore` counts below the moves of a position."""
    return min(book.info.last_ply, position.ply + 1 + DEPTH)


def explore(book: Book, position: Position) -> BookMoves:
    """The moves of a position.

    Args:
        book: for the position's board.
        position: any; a game that is over has no moves.

    Raises:
        BookDamagedError: the file's bytes are wrong there.
    """
    if position.is_over:
        return BookMoves()
    scores = book.scores(position)
    ply = counted_ply(book, position)
    moves = BookMoves()
    for column in position.legal_columns():
        after = position.play(column)
        number = 0 if after.is_over else _count(book, after.canonical_key, ply - after.ply)
        moves.append(BookMove(column, after, scores[column], number))
    return moves


@lru_cache(maxsize=KEPT)
def _count(book: Book, key: int, depth: int) -> int:
    """Positions of a book that can follow a position after so many plies."""
    width, height = book.info.board
    keys = np.array([key] if depth >= 0 else [], dtype=np.uint64)
    for _ in range(depth):
        after, moves = children(keys, width=width, height=height)
        keys = np.unique(after[moves == MOVE_GOES_ON])
    if book.info.kind == "complete" and not book.info.start.ply:
        return len(keys)
    return int((book.probe_many(keys) != NO_SCORE).sum()) if len(keys) else 0
