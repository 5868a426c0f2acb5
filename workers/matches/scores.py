"""The scores that judging games needs: which are known, and which are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.position import Position
from db import evaluations
from workers.answers.books import answer_from, book_of_job
from workers.answers.question import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.book import Book
    from c4core.notation import BoardSize
    from db.database import Database
    from db.records.evaluations import StoredEvaluation

KEYS_AT_A_TIME: Final = 10_000
"""Positions that are looked up together."""

EVERY_COLUMN: Final = Question()


def unknown_keys(
    database: Database, board: BoardSize, keys: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Those of some canonical keys whose columns' scores neither the database nor the book has.

    Args:
        database: where they are looked up.
        board: of all of them.
        keys: in any order, which is kept.

    Raises:
        StorageError: the database cannot be read.
    """
    book = book_of_job({}, board)
    unknown = [np.empty(0, dtype=np.uint64)]
    for first in range(0, len(keys), KEYS_AT_A_TIME):
        asked = keys[first : first + KEYS_AT_A_TIME].tolist()
        with database.read() as session:
            known = evaluations.lookup(session, board, asked)
        missing = [
            key
            for key in asked
            if (key not in known or known[key].scores is None)
            and (book is None or _book_scores(_position(key, board), book) is None)
        ]
        unknown.append(np.array(missing, dtype=np.uint64))
    return np.concatenate(unknown)


def _position(key: int, board: BoardSize) -> Position:
    return Position.from_key(key, width=board.width, height=board.height)


def known_scores(
    position: Position, known: dict[int, StoredEvaluation], book: Book | None
) -> tuple[int | None, ...] | None:
    """The score of every column of a position, in its orientation; None if they are not known.

    Args:
        position: any.
        known: stored evaluations by canonical key.
        book: is asked about what is not stored; None for none.
    """
    stored = known.get(position.canonical_key)
    if stored is not None and stored.scores is not None:
        return stored.scores if position.key == stored.key else stored.scores[::-1]
    return None if book is None else _book_scores(position, book)


def _book_scores(position: Position, book: Book) -> tuple[int | None, ...] | None:
    answer = answer_from(book, position, EVERY_COLUMN)
    return None if answer is None else answer.scores
