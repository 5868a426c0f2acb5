"""A desk where many people ask about positions at the same time: the book, the database, a search.

Searches share a few solvers. One who asks gets a solver of his own while there are enough, the one
with the warmest table first; beyond that several search with the same one. What somebody waits for
has solvers of its own, which batches do not use.

What is found is stored a moment later, by a thread of its own: nobody waits for that.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from c4core.evaluation import final_score
from c4core.solver import Solver
from db.errors import StorageError
from workers.logs import LOGGER
from workers.positions.best_line import line_in_book
from workers.positions.book_answers import NO_BOOK, answer_from, find_book, open_book
from workers.positions.evaluate import find_answers, look_up, search_with
from workers.positions.keeping import Keeper
from workers.positions.results import Answer
from workers.positions.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from c4core.book import Book
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.database import Database
    from db.records.evaluations import StoredEvaluation
    from workers.positions.question import Question

SOLVERS: Final = 4
"""Solvers for those who wait, at most; each is made when it is first needed."""


class Seats:
    """Solvers that are lent out. Thread-safe.

    Args:
        number: of solvers, at most.
        threads: of each.
        table_mb: megabytes of the table of each.
    """

    def __init__(self, number: int, *, threads: int, table_mb: int) -> None:
        self._number = number
        self._threads = threads
        self._table_mb = table_mb
        self._lock = threading.Lock()
        self._users: list[int] = []
        self._solvers: list[Solver] = []

    @contextmanager
    def taken(self) -> Iterator[Solver]:
        """A solver that nobody else uses; where all are in use, the one with the fewest users."""
        with self._lock:
            users = self._users
            place = users.index(min(users)) if users else 0
            if len(users) < self._number and (not users or users[place]):
                place = len(users)
                self._solvers.append(Solver(table_mb=self._table_mb, threads=self._threads))
                users.append(0)
            users[place] += 1
        try:
            yield self._solvers[place]
        finally:
            with self._lock:
                users[place] -= 1

    def stop(self) -> None:
        """Interrupt all searches."""
        with self._lock:
            for solver in self._solvers:
                solver.stop()


class Desk:
    """Answers about positions for many at a time. Thread-safe.

    Args:
        database: knows evaluations, and keeps those that are found; None for neither.
        threads: of a search.
        table_mb: megabytes of the table of each solver: there are :data:`SOLVERS` at most for those
            who wait, and one for batches.
        book: a file, ``NO_BOOK``, or None for those that came with the program. These are asked
            about other boards than the file's, too.
        keeps: whether what is found is stored.

    Raises:
        BookError: the file is no book, or a damaged one.
        OSError: it cannot be read.
    """

    def __init__(
        self,
        database: Database | None,
        *,
        threads: int,
        table_mb: int,
        book: str | None = None,
        keeps: bool = True,
    ) -> None:
        self._database = database
        self._keeper = Keeper(database) if database is not None and keeps else None
        self._has_books = book != NO_BOOK
        self._given = open_book(book) if book else None
        self._interactive = Seats(SOLVERS, threads=threads, table_mb=table_mb)
        self._batches = Seats(1, threads=threads, table_mb=table_mb)
        self._is_closed = False

    def book_for(self, board: BoardSize) -> Book | None:
        """The book that is asked about positions of a board; None where there is none.

        Raises:
            BookError: the one that came with the program is damaged.
            OSError: it cannot be read.
        """
        if self._given is not None and self._given.info.board == board:
            return self._given
        return find_book(None, board) if self._has_books else None

    def booked(self, position: Position, question: Question) -> Answer | None:
        """What the book answers, in some microseconds; None where it does not know enough."""
        book = self.book_for(position.board)
        return None if book is None else answer_from(book, position, question)

    def answer(
        self,
        positions: Sequence[Position],
        question: Question,
        stop: threading.Event | None = None,
    ) -> list[Answer]:
        """Answer a question for somebody who waits.

        Limits of the question that were reached, and a stop, leave bounds that may differ. A
        database that cannot be read is done without.

        Args:
            positions: any number, of one board; finished games are fine.
            question: what is asked about each.
            stop: ends the search; at once if it is a ``Stop``.

        Returns:
            An answer for each, in order, for the position as it was given.
        """
        return self._answer(self._interactive, positions, question, stop)

    def answer_batch(
        self,
        positions: Sequence[Position],
        question: Question,
        stop: threading.Event | None = None,
    ) -> list[Answer]:
        """As :meth:`answer`, for a piece of a batch: with a solver that nobody waits for."""
        return self._answer(self._batches, positions, question, stop)

    def find_line(
        self, position: Position, *, time_limit: float | None = None, stop: Stop | None = None
    ) -> tuple[int, ...] | None:
        """Best play to the end of the game, as 0-based columns.

        Args:
            position: where the line begins.
            time_limit: seconds, for what no book knows.
            stop: ends the search.

        Returns:
            None where there was no time to find it.
        """
        stop = stop or Stop()
        deadline = None if time_limit is None else time.monotonic() + time_limit
        line, position = line_in_book(self.book_for(position.board), position)
        while not (stop.is_set() or self._is_closed):
            if deadline is not None and time.monotonic() >= deadline:
                break
            with self._interactive.taken() as solver, _stopping(solver, stop, deadline):
                rest = solver.principal_variation(position)
            if _is_whole(position, rest):
                return line + rest
        return None

    def close(self) -> None:
        """End all searches, and store what is not stored yet."""
        self._is_closed = True
        self._interactive.stop()
        self._batches.stop()
        if self._keeper is not None:
            self._keeper.close()

    def _answer(
        self,
        seats: Seats,
        positions: Sequence[Position],
        question: Question,
        stop: threading.Event | None,
    ) -> list[Answer]:
        if not positions:
            return []

        def is_stopped() -> bool:
            return self._is_closed or (stop is not None and stop.is_set())

        known = self._look_up(positions)
        book = self.book_for(positions[0].board)
        with seats.taken() as solver, _stopping(solver, stop):
            findings = find_answers(
                positions, question, search_with(solver, is_stopped), known, book=book
            )
        if self._keeper is not None:
            self._keeper.keep(findings.learned)
        if book is None or not question.is_limited:
            return findings.answers
        return [
            _with_score_of(book, *pair) for pair in zip(positions, findings.answers, strict=True)
        ]

    def _look_up(self, positions: Sequence[Position]) -> Mapping[int, StoredEvaluation]:
        if self._database is None:
            return {}
        try:
            return look_up(self._database, positions)
        except StorageError as error:
            LOGGER.warning("answered without the database: %s", error)
            return {}


def answer_at_end(position: Position) -> Answer:
    """What the rules say of a game that is over, for the side that would move.

    Args:
        position: without a move to play.
    """
    score = final_score(position)
    return Answer(score, score, (None,) * position.width)


def answer_stored(
    position: Position, question: Question, stored: StoredEvaluation
) -> Answer | None:
    """What a stored evaluation of the position's canonical one answers; None if not enough."""
    if not question.is_answered_by(stored):
        return None
    scores = stored.scores if question.columns else None
    if scores is not None and position.key != stored.key:
        scores = scores[::-1]
    return Answer(stored.lower, stored.upper, scores, source="db")


@contextmanager
def _stopping(
    solver: Solver, stop: threading.Event | None, deadline: float | None = None
) -> Iterator[None]:
    """Interrupt the solver's searches at a stop, and at a deadline on the monotonic clock."""
    with ExitStack() as at_end:
        if isinstance(stop, Stop):
            at_end.enter_context(stop.calling(solver.stop))
        if deadline is not None:
            timer = threading.Timer(max(0.0, deadline - time.monotonic()), solver.stop)
            timer.daemon = True
            timer.start()
            at_end.callback(timer.cancel)
        yield


def _with_score_of(book: Book, position: Position, answer: Answer) -> Answer:
    """An answer with the score that a book knows, which may not know those of the columns."""
    score = None if answer.lower == answer.upper else book.probe(position)
    return answer if score is None else answer.tightened(score, score)


def _is_whole(position: Position, line: Sequence[int]) -> bool:
    """Whether a line leads to the end of the game: others may have interrupted the search."""
    for column in line:
        position = position.play(column)
    return position.is_over
