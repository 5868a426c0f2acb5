"""Best play to the end of a game, as far as a book knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.positions.book_answers import answer_from
from workers.positions.question import Question

if TYPE_CHECKING:
    from c4core.book import Book
    from c4core.position import Position


def line_in_book(book: Book | None, position: Position) -> tuple[tuple[int, ...], Position]:
    """Best play as far as a book has all columns' scores, and where it ends.

    Of several best moves it takes the one nearest to the centre, as the engine does.

    Args:
        book: an open one; None for none, which knows nothing.
        position: where the line begins.

    Raises:
        BookDamagedError: the file's bytes are wrong at a position of the line.
    """
    line: list[int] = []
    columns = from_centre(position.width)
    while book is not None and not position.is_over:
        answer = answer_from(book, position, Question())
        if answer is None:
            break
        line.append(min(answer.best, key=columns.index))
        position = position.play(line[-1])
    return tuple(line), position


def from_centre(width: int) -> list[int]:
    """All columns, the middle one first, then alternately on both sides: the engine's order."""
    middle = (width - 1) // 2
    return [middle + ((i + 1) // 2 if i % 2 else -i // 2) for i in range(width)]
