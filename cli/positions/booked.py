"""Asking a book first, which needs neither a database nor an engine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from workers.positions.book_answers import answer_from

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.book import Book
    from c4core.position import Position
    from cli.positions.asking import Asker
    from workers.positions.question import Question
    from workers.positions.results import Answer


class BookFirst:
    """A book, and another asker for what it does not know.

    Args:
        book: is asked first.
        make_asker: makes the other asker when it is first needed, because opening a database
            takes many times as long as a look into a book.
    """

    def __init__(self, book: Book, make_asker: Callable[[], Asker]) -> None:
        self._book = book
        self._make_asker = make_asker

    @cached_property
    def _asker(self) -> Asker:
        return self._make_asker()

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:
        """As :meth:`cli.positions.asking.Asker.ask`."""
        answers: list[Answer] = []
        for position in positions:
            answer = answer_from(self._book, position, question)
            if answer is None:
                return self._asker.ask(positions, question)
            answers.append(answer)
        return answers

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """As :meth:`cli.positions.asking.Asker.principal_variation`."""
        return self._asker.principal_variation(position)
