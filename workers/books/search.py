"""Querying a book like the database of evaluations: the same rows, in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.position import Position
from db.records.evaluations import StoredEvaluation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from c4core.book import Book
    from db.records.evaluations import Cursor, EvaluationFilter

    Matches = tuple[int, NDArray[np.uint64], NDArray[np.int8]]

BATCH: Final = 1024
"""Positions that become Python objects at a time."""


def stream(
    book: Book, filters: EvaluationFilter, after: Cursor | None = None
) -> Iterator[StoredEvaluation]:
    """The positions of a book that meet some conditions, by ply and canonical key.

    Args:
        book: for the board of the conditions.
        filters: the conditions; its keys are ignored.
        after: begin behind this place.

    Raises:
        BookDamagedError: bytes of the file are wrong.
    """
    for ply, keys, scores in _matches(book, filters, after):
        for begin in range(0, len(keys), BATCH):
            for key, score in zip(
                keys[begin : begin + BATCH].tolist(),
                scores[begin : begin + BATCH].tolist(),
                strict=True,
            ):
                row = _row(book, key, ply, score)
                if filters.has_scores in (None, row.scores is not None):
                    yield row


def count(book: Book, filters: EvaluationFilter) -> int:
    """How many positions of a book meet some conditions; arguments and errors as :func:`stream`."""
    if filters.has_scores is not None:
        return sum(1 for _ in stream(book, filters))
    return sum(len(keys) for _, keys, _ in _matches(book, filters, None))


def lookup(book: Book, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
    """A book's evaluations of positions, by canonical key; unknown positions are left out.

    Raises:
        BookDamagedError: the file's bytes at some place are wrong.
    """
    width, height = book.info.board
    found = {}
    for key in keys:
        position = Position.from_key(key, width=width, height=height)
        score = book.probe(position)
        if score is not None:
            found[key] = _row(book, key, position.ply, score)
    return found


def _matches(book: Book, filters: EvaluationFilter, after: Cursor | None) -> Iterator[Matches]:
    if filters.exact is False:
        return
    for ply, (keys, scores) in enumerate(book.levels(), book.info.first_ply):
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


def _row(book: Book, key: int, ply: int, score: int) -> StoredEvaluation:
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
