"""Answers for many users at the same time: from the book, the database, or a search.

Searches share a few solvers. A user gets the first idle solver, whose transposition table is the
fullest; if none is idle, several users share a solver. Interactive questions and batches use
separate solvers.

A separate thread stores new evaluations a moment later, so no user waits for the database.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Final

from c4core.solver import Solver
from db.errors import ReadOnlyError, StorageError
from workers.answers.find import find_answers, look_up, search_with
from workers.answers.question import (
    NO_BOOK,
    Question,
    answer_from,
    find_book,
    has_all_columns,
    line_in_book,
    open_book,
)
from workers.core.searching import STOP_POLL_SECONDS, store_learned
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from c4core.book import Book
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.database import Database
    from db.records.evaluations import StoredEvaluation
    from workers.answers.question import Answer


class SearchStop(threading.Event):
    """A stop signal that interrupts running searches immediately. Thread-safe."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    def set(self) -> None:
        """Set the signal, and call all functions registered with :meth:`calling`."""
        super().set()
        with self._lock:
            for call in self._calls:
                call()

    @contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Call a function as soon as the signal is set within this context.

        It may be called from any thread, possibly twice, and must return quickly.
        """
        with self._lock:
            self._calls.append(call)
        try:
            if self.is_set():
                call()
            yield
        finally:
            with self._lock:
                self._calls.remove(call)


MOST_WAITING: Final = 20_000
"""Maximum number of evaluations waiting to be stored. Further ones are dropped to keep memory
constant; they can be found again."""

GATHER_SECONDS: Final = 0.1
"""Seconds to wait for more evaluations before a transaction."""


class EvaluationWriter:
    """Stores evaluations in a thread of its own. Thread-safe.

    If the database turns out to be read-only, nothing more is stored.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._condition = threading.Condition()
        self._waiting: list[StoredEvaluation] = []
        self._is_closed = database.is_read_only
        self._thread: threading.Thread | None = None

    def keep(self, rows: list[StoredEvaluation]) -> None:
        """Queue evaluations for storing; returns at once."""
        with self._condition:
            if self._is_closed or not rows or len(self._waiting) >= MOST_WAITING:
                return
            self._waiting += rows
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="c4-writer", daemon=True)
                self._thread.start()
            self._condition.notify()

    def close(self) -> None:
        """Store all queued evaluations and end the thread. Later evaluations are dropped."""
        with self._condition:
            self._is_closed = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while rows := self._next():
            try:
                for _, of_board in groupby(sorted(rows, key=_board), key=_board):
                    self._database.run(partial(store_learned, learned=list(of_board)))
            except ReadOnlyError as error:
                LOGGER.warning("new evaluations are no longer stored: %s", error)
                with self._condition:
                    self._is_closed = True
                    self._waiting.clear()
            except StorageError as error:
                LOGGER.warning("new evaluations were not stored: %s", error)

    def _next(self) -> list[StoredEvaluation]:
        with self._condition:
            self._condition.wait_for(lambda: self._waiting or self._is_closed)
            if not self._is_closed:
                self._condition.wait_for(lambda: self._is_closed, GATHER_SECONDS)
            rows, self._waiting = self._waiting, []
            return rows


def _board(row: StoredEvaluation) -> tuple[int, int]:
    return row.width, row.height


KNOWN: Final = Question(node_limit=0)
"""Asks for the scores that are known without a search."""

SOLVERS: Final = 4
"""Maximum number of solvers for interactive questions; each is created when first needed."""


class SolverPool:
    """A pool of solvers. Thread-safe."""

    def __init__(self, number: int, *, threads: int, table_mb: int) -> None:
        self._number = number
        self._threads = threads
        self._table_mb = table_mb
        self._lock = threading.Lock()
        self._users: list[int] = []
        self._solvers: list[Solver] = []

    @contextmanager
    def taken(self) -> Iterator[Solver]:
        """Lend an idle solver, or else the solver with the fewest users, for this context."""
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


class AnswerService:
    """Answers about positions for many users at the same time. Thread-safe.

    Each solver has ``threads`` threads and a table of ``table_mb`` megabytes. There are at most
    :data:`SOLVERS` solvers for interactive questions, and one for batches. ``book`` is a file,
    ``NO_BOOK``, or None for the included books. With a file, the included books still answer
    questions about other boards. ``keeps`` decides whether new evaluations are stored.

    Raises:
        BookError: the file is not a book, or is damaged.
        OSError: the file cannot be read.
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
        self._writer = EvaluationWriter(database) if database is not None and keeps else None
        self._has_books = book != NO_BOOK
        self._given = open_book(book) if book else None
        self._interactive = SolverPool(SOLVERS, threads=threads, table_mb=table_mb)
        self._batches = SolverPool(1, threads=threads, table_mb=table_mb)
        self._closing = SearchStop()

    def book_for(self, board: BoardSize) -> Book | None:
        """The book for a board; None if there is none."""
        if self._given is not None and self._given.info.board == board:
            return self._given
        return find_book(None, board) if self._has_books else None

    def booked(self, position: Position, question: Question) -> Answer | None:
        """The book's answer, in a few microseconds; None if a needed score is not in the book."""
        book = self.book_for(position.board)
        return None if book is None else answer_from(book, position, question)

    def answer(
        self,
        positions: Sequence[Position],
        question: Question,
        stop: threading.Event | None = None,
    ) -> list[Answer]:
        """Answer an interactive question about each position, in order and in its orientation.

        After a limit or a stop, the two bounds of an answer may differ. If the database cannot be
        read, the answer is computed without it.
        """
        return self._answer(self._interactive, positions, question, stop)

    def answer_batch(
        self,
        positions: Sequence[Position],
        question: Question,
        stop: threading.Event | None = None,
    ) -> list[Answer]:
        """Answer part of a batch with the solver for batches; otherwise as :meth:`answer`."""
        return self._answer(self._batches, positions, question, stop)

    def answer_within(
        self,
        positions: Sequence[Position],
        seconds: float | None,
        stop: threading.Event | None = None,
    ) -> list[Answer]:
        """Score all columns of positions of one board, within a time for all of them together.

        Known scores are looked up together. The other positions are searched one by one. Positions
        with the most stones come first, because early positions may take all the time.
        ``seconds`` is 0 for known scores only, None for no limit. After the limit or a stop, the
        bounds of the remaining answers differ.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        answers = self.answer(positions, KNOWN, stop)
        for index in sorted(range(len(positions)), key=lambda index: -positions[index].ply):
            if has_all_columns(answers[index], positions[index]):
                continue
            left = None if deadline is None else deadline - time.monotonic()
            if (left is not None and left <= 0) or (stop is not None and stop.is_set()):
                break
            (answers[index],) = self.answer([positions[index]], Question(time_limit=left), stop)
        return answers

    def find_line(
        self,
        position: Position,
        *,
        time_limit: float | None = None,
        stop: threading.Event | None = None,
    ) -> tuple[int, ...] | None:
        """Best play to the end of the game, as 0-based columns; None if time ran out."""
        stops = self._stops(stop)
        deadline = None if time_limit is None else time.monotonic() + time_limit
        line, position = line_in_book(self.book_for(position.board), position)
        while not any(each.is_set() for each in stops):
            if deadline is not None and time.monotonic() >= deadline:
                break
            with self._interactive.taken() as solver, _interrupting(solver, stops, deadline):
                rest = solver.principal_variation(position)
            if _is_whole(position, rest):
                return line + rest
        return None

    def close(self) -> None:
        """End all searches, and store the queued evaluations."""
        self._closing.set()
        if self._writer is not None:
            self._writer.close()

    def _answer(
        self,
        pool: SolverPool,
        positions: Sequence[Position],
        question: Question,
        stop: threading.Event | None,
    ) -> list[Answer]:
        if not positions:
            return []

        stops = self._stops(stop)

        def is_stopped() -> bool:
            return any(each.is_set() for each in stops)

        known = self._look_up(positions)
        book = self.book_for(positions[0].board)
        with pool.taken() as solver, _interrupting(solver, stops):
            findings = find_answers(
                positions, question, search_with(solver, is_stopped), known, book=book
            )
        if self._writer is not None:
            self._writer.keep(findings.learned)
        if book is None or not question.is_limited:
            return findings.answers
        return [
            _with_score_of(book, *pair) for pair in zip(positions, findings.answers, strict=True)
        ]

    def _stops(self, stop: threading.Event | None) -> Sequence[threading.Event]:
        return (self._closing,) if stop is None else (self._closing, stop)

    def _look_up(self, positions: Sequence[Position]) -> Mapping[int, StoredEvaluation]:
        if self._database is None:
            return {}
        try:
            return look_up(self._database, positions)
        except StorageError as error:
            LOGGER.warning("answered without the database: %s", error)
            return {}


@contextmanager
def _interrupting(
    solver: Solver, stops: Sequence[threading.Event], deadline: float | None = None
) -> Iterator[None]:
    """Interrupt the solver's searches at a stop, or at a deadline on the monotonic clock.

    From then on they are interrupted repeatedly, because a search may begin just after the first
    time. However often the stops are set, one thread does this.
    """
    is_over = threading.Event()
    first_stop = threading.Lock()

    def interrupt() -> None:
        solver.stop()
        while not is_over.wait(STOP_POLL_SECONDS):
            solver.stop()

    def begin() -> None:
        solver.stop()  # also if no thread can be started
        if first_stop.acquire(blocking=False):  # never released
            threading.Thread(target=interrupt, name="c4-interrupt", daemon=True).start()

    with ExitStack() as at_end:
        at_end.callback(is_over.set)
        for stop in stops:
            if isinstance(stop, SearchStop):
                at_end.enter_context(stop.calling(begin))
        if deadline is not None:
            timer = threading.Timer(max(0.0, deadline - time.monotonic()), interrupt)
            timer.daemon = True
            timer.start()
            at_end.callback(timer.cancel)
        yield


def _with_score_of(book: Book, position: Position, answer: Answer) -> Answer:
    """Add the book's score to an answer: the book may have the score but not the columns."""
    score = None if answer.lower == answer.upper else book.probe(position)
    return answer if score is None else answer.tightened(score, score)


def _is_whole(position: Position, line: Sequence[int]) -> bool:
    """Whether a line reaches the end of the game; other users may have interrupted the search."""
    for column in line:
        position = position.play(column)
    return position.is_over
