"""Exact scores of columns during a game, by searches that can be given up at any time.

Hints and the player ``perfect`` share them: one table, one book, one database.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from c4core.evaluation import Analysis
from c4core.solver import Solver
from db.errors import StorageError
from workers.positions.evaluate import evaluate
from workers.positions.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.book import Book
    from c4core.position import Position
    from db.database import Database
    from workers.positions.results import Answer

STOP_SECONDS: Final = 0.05
"""Time after which a search is told again to stop: it may just have begun."""


class Scores:
    """Looks scores up or searches them, from any thread.

    Args:
        database: has known answers and keeps new ones; None for none.
        table_mb: size of the transposition table.
        threads: threads that search.
        book: asked first; None for none.
        on_trouble: called with a message when the database fails; the game goes on without it.
    """

    def __init__(
        self,
        database: Database | None,
        *,
        table_mb: int,
        threads: int,
        book: Book | None = None,
        on_trouble: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.on_trouble = on_trouble
        self._solver = Solver(table_mb=table_mb, threads=threads)
        self._database = database
        self._book = book
        self._lock = threading.Lock()
        self._round = 0  # searches of an earlier round are given up
        self._searching: list[int] = []  # the rounds of all searches under way

    def ask(self, position: Position, *, time_limit: float | None = None) -> Answer:
        """Score every column; after :meth:`give_up`, or at the limit, as far as proven."""
        with self._lock:
            begun = self._round
            self._searching.append(begun)
        try:
            return self._answer(position, Question(time_limit=time_limit), begun)
        finally:
            with self._lock:
                self._searching.remove(begun)

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """Score every column, as a :class:`c4core.players.Analyst`."""
        answer = self.ask(position, time_limit=time_limit)
        scores = answer.scores or (None,) * position.width
        return Analysis(scores, answer.lower, answer.upper, answer.nodes, answer.seconds)

    def give_up(self) -> None:
        """Stop all running searches soon; later ones are not affected."""
        with self._lock:
            self._round += 1
            is_idle = not self._searching
        if not is_idle:
            threading.Thread(target=self._stop_searches, daemon=True).start()

    def _answer(self, position: Position, question: Question, begun: int) -> Answer:
        def is_stopped() -> bool:
            return self._round != begun

        def answered(database: Database | None) -> Answer:
            return evaluate(
                [position],
                question,
                self._solver,
                database,
                book=self._book,
                is_stopped=is_stopped,
            )[0]

        try:
            return answered(self._database)
        except StorageError as error:
            self._database = None
            self.on_trouble(f"the game goes on without the database: {error}")
            return answered(None)

    def _stop_searches(self) -> None:
        while any(begun != self._round for begun in self._searching):
            self._solver.stop()  # a search of the current round begins again
            time.sleep(STOP_SECONDS)
