"""Read a finished book: look positions up like in the database, and explore its tree of moves.

The tree counts, for each move, the positions of the book that can follow a few plies later. Mirror
images and transpositions count once. To count the last ply below an early position would take
seconds (the book of 7x6 has 5.8 million positions there), so at most :data:`DEPTH` plies below a
move are explored. Counts are cached, because a book does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import MOVE_GOES_ON, children
from c4core.position import Position
from db.records.evaluations import StoredEvaluation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.book import Book
    from c4core.notation import BoardSize

    Matches = tuple[int, NDArray[np.uint64], NDArray[np.int8]]


def lookup(book: Book, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
    """A book's evaluations, by canonical key; unknown positions are left out."""
    found = {}
    for key in keys:
        position = Position.from_key(key, board=book.info.board)
        score = book.probe(position)
        if score is not None:
            found[key] = _stored(book, key, position.ply, score)
    return found


def _stored(book: Book, key: int, ply: int, score: int) -> StoredEvaluation:
    position = Position.from_key(key, board=book.info.board)
    columns = book.scores(position)
    known = all(columns[column] is not None for column in position.legal_columns())
    return StoredEvaluation(
        key=key,
        width=position.width,
        height=position.height,
        ply=ply,
        lower=score,
        upper=score,
        nodes=0,
        engine_version=book.info.engine_version,
        scores=columns if known else None,
    )


DEPTH: Final = 5
"""Maximum number of plies below a move whose positions are counted."""

KEPT: Final = 20_000
"""Number of cached counts, of about 200 bytes each."""


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move, with its score and continuations in a book."""

    column: int
    """The 0-based column."""
    position: Position
    """The position after the move."""
    score: int | None
    """The score for the side that moves; None if it is not in the book. An immediate win always has
    a score."""
    continuations: int
    """Number of positions in the book that can follow on the counted ply."""


def counted_ply(book: Book, position: Position) -> int:
    """The ply whose positions :func:`explore` counts below the moves of a position."""
    return min(book.info.last_ply, position.ply + 1 + DEPTH)


def explore(book: Book, position: Position) -> list[BookMove]:
    """The moves of a position, with their scores and continuations in the book."""
    if position.is_over:
        return []
    scores = book.scores(position)
    board, ply = book.info.board, counted_ply(book, position)
    moves: list[BookMove] = []
    for column in position.legal_columns():
        after = position.play(column)
        number = 0 if after.is_over else _count(board, after.canonical_key, ply - after.ply)
        moves.append(BookMove(column, after, scores[column], number))
    return moves


@lru_cache(maxsize=KEPT)
def _count(board: BoardSize, key: int, depth: int) -> int:
    """Count the open positions that can follow a position after ``depth`` plies."""
    keys = np.array([key] if depth >= 0 else [], dtype=np.uint64)
    for _ in range(depth):
        after, moves = children(keys, board)
        keys = np.unique(after[moves == MOVE_GOES_ON])
    return len(keys)
