"""Read a finished book: query it like the database of evaluations, and explore its tree of moves.

A query yields the same rows as the database, in the same order.

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
from c4core.evaluation import signed
from c4core.html import table_html
from c4core.notation import column_label
from c4core.position import Position
from db.records.evaluations import StoredEvaluation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from c4core.book import Book
    from c4core.notation import BoardSize
    from db.records.evaluations import Cursor, EvaluationFilter

    Matches = tuple[int, NDArray[np.uint64], NDArray[np.int8]]

BATCH: Final = 1024
"""Number of positions converted to Python objects at a time."""


def stream(
    book: Book, filters: EvaluationFilter, after: Cursor | None = None
) -> Iterator[StoredEvaluation]:
    """The positions of a book that match a filter, by ply and canonical key."""
    for ply, keys, scores in _matches(book, filters, after):
        for begin in range(0, len(keys), BATCH):
            for key, score in zip(
                keys[begin : begin + BATCH].tolist(),
                scores[begin : begin + BATCH].tolist(),
                strict=True,
            ):
                row = _stored(book, key, ply, score)
                if filters.has_scores in (None, row.scores is not None):
                    yield row


def count(book: Book, filters: EvaluationFilter) -> int:
    """Count the positions of a book that match a filter."""
    if filters.has_scores is not None:
        return sum(1 for _ in stream(book, filters))
    return sum(len(keys) for _, keys, _ in _matches(book, filters, None))


def lookup(book: Book, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
    """A book's evaluations, by canonical key; unknown positions are left out."""
    width, height = book.info.board
    found = {}
    for key in keys:
        position = Position.from_key(key, width=width, height=height)
        score = book.probe(position)
        if score is not None:
            found[key] = _stored(book, key, position.ply, score)
    return found


def _matches(book: Book, filters: EvaluationFilter, after: Cursor | None) -> Iterator[Matches]:
    if filters.exact is False:
        return
    for ply, (keys, scores) in enumerate(book.levels()):
        if filters.max_ply is not None and ply > filters.max_ply:
            return
        if (filters.min_ply is not None and ply < filters.min_ply) or (after and ply < after.ply):
            continue
        chosen = _meets(scores, filters)
        if after and ply == after.ply:
            chosen &= keys > np.uint64(after.key)
        yield ply, keys[chosen], scores[chosen]


def _meets(scores: NDArray[np.int8], filters: EvaluationFilter) -> NDArray[np.bool_]:
    chosen = np.ones(len(scores), dtype=np.bool_)
    if filters.min_score is not None:
        chosen &= scores >= filters.min_score
    if filters.max_score is not None:
        chosen &= scores <= filters.max_score
    if filters.value is not None:
        chosen &= np.sign(scores) == {"win": 1, "draw": 0, "loss": -1}[filters.value]
    return chosen


def _stored(book: Book, key: int, ply: int, score: int) -> StoredEvaluation:
    width, height = book.info.board
    position = Position.from_key(key, width=width, height=height)
    columns = book.scores(position)
    known = all(columns[column] is not None for column in position.legal_columns())
    return StoredEvaluation(
        key=key,
        width=width,
        height=height,
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


class BookMoves(list[BookMove]):
    """The moves of a position, shown as a table in notebooks."""

    def _repr_html_(self) -> str:
        rows = [
            (column_label(move.column), signed(move.score), f"{move.continuations:,}")
            for move in self
        ]
        return table_html(("column", "score", "positions that can follow"), rows)


def counted_ply(book: Book, position: Position) -> int:
    """The ply whose positions :func:`explore` counts below the moves of a position."""
    return min(book.info.last_ply, position.ply + 1 + DEPTH)


def explore(book: Book, position: Position) -> BookMoves:
    """The moves of a position, with their scores and continuations in the book."""
    if position.is_over:
        return BookMoves()
    scores = book.scores(position)
    board, ply = book.info.board, counted_ply(book, position)
    moves = BookMoves()
    for column in position.legal_columns():
        after = position.play(column)
        number = 0 if after.is_over else _count(board, after.canonical_key, ply - after.ply)
        moves.append(BookMove(column, after, scores[column], number))
    return moves


@lru_cache(maxsize=KEPT)
def _count(board: BoardSize, key: int, depth: int) -> int:
    """Count the open positions that can follow a position after ``depth`` plies."""
    width, height = board
    keys = np.array([key] if depth >= 0 else [], dtype=np.uint64)
    for _ in range(depth):
        after, moves = children(keys, width=width, height=height)
        keys = np.unique(after[moves == MOVE_GOES_ON])
    return len(keys)
