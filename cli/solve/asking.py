"""Asking the engine, by way of the database, while staying able to hear Ctrl-C."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from c4core.solver import Solver
from cli.shell.background import run_in_background
from workers.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.position import Position
    from db.database import Database
    from workers.question import Question
    from workers.results import Answer


class Asker:
    """A solver and perhaps a database.

    Args:
        database: where known answers are looked up and new ones are kept; None for neither.
        table_mb: size of the transposition table.
        threads: threads that search.
    """

    def __init__(self, database: Database | None, *, table_mb: int, threads: int) -> None:
        self._solver = Solver(table_mb=table_mb, threads=threads)
        self._database = database
        self._stopped = threading.Event()

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:
        """Answer a question about each of some positions of one board.

        Raises:
            KeyboardInterrupt: after the engine was stopped; what it had found out is kept.
            StorageError: the database cannot be read or written.
        """
        return run_in_background(
            lambda: evaluate(
                positions,
                question,
                self._solver,
                self._database,
                is_stopped=self._stopped.is_set,
            ),
            self._stop,
        )

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Best play to the end of the game, as 0-based columns."""
        return run_in_background(lambda: self._solver.principal_variation(position), self._stop)

    def _stop(self) -> None:
        self._stopped.set()
        self._solver.stop()
