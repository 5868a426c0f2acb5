"""Storing what was found, behind the back of those who wait for an answer."""

from __future__ import annotations

import threading
from itertools import groupby
from typing import TYPE_CHECKING, Final

from db.errors import ReadOnlyError, StorageError
from workers.core.searching import store_learned
from workers.logs import LOGGER

if TYPE_CHECKING:
    from db.database import Database
    from db.records.evaluations import StoredEvaluation

MOST_WAITING: Final = 20_000
"""Evaluations that wait to be stored. Beyond that new ones are forgotten: memory is constant, and
they can be found again."""

GATHER_SECONDS: Final = 0.1
"""Time for others to join before a transaction."""


class Keeper:
    """Stores evaluations in a thread of its own. Thread-safe.

    Args:
        database: where they go. When it turns out to be read-only, nothing more is kept.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._condition = threading.Condition()
        self._waiting: list[StoredEvaluation] = []
        self._is_closed = database.is_read_only
        self._thread: threading.Thread | None = None

    def keep(self, rows: list[StoredEvaluation]) -> None:
        """Store some evaluations soon; returns at once."""
        with self._condition:
            if self._is_closed or not rows or len(self._waiting) >= MOST_WAITING:
                return
            self._waiting += rows
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="c4-keeper", daemon=True)
                self._thread.start()
            self._condition.notify()

    def close(self) -> None:
        """Store what waits, and end. Later evaluations are not kept."""
        with self._condition:
            self._is_closed = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while rows := self._next():
            try:
                for _, of_board in groupby(sorted(rows, key=_board), key=_board):
                    store_learned(self._database, list(of_board))
            except ReadOnlyError as error:
                LOGGER.warning("nothing is kept: %s", error)
                with self._condition:
                    self._is_closed = True
                    self._waiting.clear()
            except StorageError as error:
                LOGGER.warning("not kept: %s", error)

    def _next(self) -> list[StoredEvaluation]:
        """What to store next; nothing at the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._waiting or self._is_closed)
            if not self._is_closed:
                self._condition.wait_for(lambda: self._is_closed, GATHER_SECONDS)
            rows, self._waiting = self._waiting, []
            return rows


def _board(row: StoredEvaluation) -> tuple[int, int]:
    return row.width, row.height
