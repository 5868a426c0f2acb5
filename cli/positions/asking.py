"""Ask the engine, in this process or on other machines; Ctrl-C ends a search."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from cli.output.progress import watching
from cli.shell.process import run_in_background
from db.errors import StorageError
from workers.answers.question import Question, answer_from, from_centre, line_in_book
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.book import Book
    from c4core.position import Position
    from db.database import Database
    from workers.answers.question import Answer
    from workers.celery.broker import Broker


class Asker(Protocol):
    """Answers questions about positions."""

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:
        """Answer a question about positions, all of one board.

        Raises:
            KeyboardInterrupt: Ctrl-C stopped the searches; proven bounds are stored.
            StorageError: the database cannot be read or written.
        """

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Best play to the end of the game, as 0-based columns."""


class LocalAsker:
    """Answers from a book and a database, if given, and by searching in this process.

    Args:
        database: to look answers up and to store them; None for neither.
        table_mb: size of the transposition table in MiB.
        threads: number of search threads.
        book: probed before the search; None for no book.
        shown: whether to show the progress of a long search on standard error.
        on_not_kept: called once if the database does not store an answer.
        on_interrupt: called with a position and its proven bounds if Ctrl-C ends the search.
    """

    def __init__(
        self,
        database: Database | None,
        *,
        table_mb: int,
        threads: int,
        book: Book | None = None,
        shown: bool = False,
        on_not_kept: Callable[[], object] = lambda: None,
        on_interrupt: Callable[[Position, Answer], object] = lambda _position, _answer: None,
    ) -> None:
        from c4core.solver import Solver

        self._shown = shown
        self._on_not_kept = on_not_kept
        self._on_interrupt = on_interrupt
        self._not_kept = threading.Event()
        self._solver = Solver(table_mb=table_mb, threads=threads)
        self._database = database
        self._book = book
        self._stopped = threading.Event()

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:
        """Implement :meth:`Asker.ask`."""
        from workers.answers.find import evaluate

        answers: list[Answer] = []

        def work() -> None:
            answers[:] = evaluate(
                positions,
                question,
                self._solver,
                self._database,
                book=self._book,
                is_stopped=self._stopped.is_set,
                on_not_kept=self._not_kept.set,
            )

        hint = len(positions) == 1 and not question.is_limited
        try:
            with watching(self._text(), shown=self._shown, hint=hint) as look:
                run_in_background(work, self._stop, look)
        except KeyboardInterrupt:
            if len(answers) == 1:
                self._on_interrupt(positions[0], answers[0])
            raise
        self._report_not_kept()
        return answers

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Implement :meth:`Asker.principal_variation`."""
        line, position = line_in_book(self._book, position)
        with watching(self._text(), shown=self._shown, hint=False) as look:
            rest = run_in_background(
                lambda: self._solver.principal_variation(position), self._stop, look
            )
        return line + rest

    def _report_not_kept(self) -> None:
        if self._not_kept.is_set():
            self._not_kept.clear()
            self._on_not_kept()
            self._on_not_kept = lambda: None

    def _text(self) -> Callable[[float], str]:
        """The text that describes the next search."""
        before = self._solver.progress[0]

        def text(seconds: float) -> str:
            from cli.output.render import duration, score_text

            nodes, lower, upper = self._solver.progress
            effort = f"{count(nodes - before, 'node')} in {duration(seconds)}"
            if lower is None or upper is None:
                return effort
            return f"{effort}, score between {score_text(lower)} and {score_text(upper)}"

        return text

    def _stop(self) -> None:
        self._stopped.set()
        self._solver.stop()


class RemoteAsker:
    """Answers by workers that listen to a broker and share a database.

    Args:
        database: the workers read the questions from it and store the answers in it.
        broker: notifies the workers.
        on_nobody: called if a search is needed and there is no worker yet.
        book: probed before the search; None for no book.
        workers_book: the workers' book, as ``workers.answers.question.find_book`` takes it.
        shown: whether to report a long search on standard error.
        on_interrupt: called with a position, its stored bounds, and whether a worker may be
            searching, if Ctrl-C ends the wait.
    """

    def __init__(
        self,
        database: Database,
        broker: Broker,
        *,
        on_nobody: Callable[[], object],
        book: Book | None = None,
        workers_book: str | None = None,
        shown: bool = False,
        on_interrupt: Callable[[Position, Answer, bool], object] = lambda *_: None,
    ) -> None:
        self._shown = shown
        self._on_interrupt = on_interrupt
        from workers.remote import RemoteSearch

        def report_nobody() -> None:
            self._is_alone.set()
            on_nobody()

        self._is_alone = threading.Event()
        self._book = book
        self._stopped = threading.Event()
        self._search = RemoteSearch(
            database,
            broker,
            is_stopped=self._stopped.is_set,
            on_nobody=report_nobody,
            book=workers_book,
        )

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:
        """Implement :meth:`Asker.ask`.

        Raises:
            NotSolvedError: the workers gave up.
        """
        hint = len(positions) == 1 and not question.is_limited
        self._is_alone.clear()
        try:
            with watching(self._text, shown=self._shown, hint=hint) as look:
                return run_in_background(
                    lambda: self._search.evaluate(positions, question, self._book),
                    self._stopped.set,
                    look,
                )
        except KeyboardInterrupt:
            if len(positions) == 1:
                with suppress(StorageError):
                    bounds = self._search.stored_bounds(positions[0])
                    self._on_interrupt(positions[0], bounds, not self._is_alone.is_set())
            raise

    def _text(self, seconds: float) -> str:
        """A text that describes the search.

        Workers that start later are not noticed, so "waiting" may no longer be true.
        """
        from cli.output.render import duration

        what = "waiting for workers" if self._is_alone.is_set() else "workers search"
        return f"{what}, {duration(seconds)}"

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Implement :meth:`Asker.principal_variation`; ties go to the column nearest the centre."""
        line: list[int] = []
        columns = from_centre(position.width)
        while not position.is_over:
            (answer,) = self.ask([position], Question())
            best = min(answer.best, key=columns.index)
            line.append(best)
            position = position.play(best)
        return tuple(line)


class BookFirst:
    """Answers from a book, and from another asker if the book does not have them.

    Args:
        book: probed first.
        make_asker: creates the other asker when it is first needed, because opening a database
            takes much longer than probing a book.
    """

    def __init__(self, book: Book, make_asker: Callable[[], Asker]) -> None:
        self._book = book
        self._make_asker = make_asker

    @cached_property
    def _asker(self) -> Asker:
        return self._make_asker()

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:
        """Implement :meth:`Asker.ask`."""
        answers: list[Answer] = []
        for position in positions:
            answer = answer_from(self._book, position, question)
            if answer is None:
                return self._asker.ask(positions, question)
            answers.append(answer)
        return answers

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Implement :meth:`Asker.principal_variation`."""
        return self._asker.principal_variation(position)
