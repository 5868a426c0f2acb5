"""Look up stored evaluations: at once if the read is quick, otherwise in a thread.

Reading a row of a local SQLite file takes less time than calling a thread. A thread would also wait
for the interpreter after every row while the event loop is busy: with 16 clients, one answer in a
hundred took 50 ms for that reason. So the event loop reads directly. A thread reads instead

- from a database server,
- from a file that another connection has locked,
- for a second after a slow read, so that a slow disk blocks the event loop for at most one read a
  second.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict, deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from db import evaluations
from db.errors import StorageError
from workers.answers.find import look_up
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.database import Database, NonBlockingReader
    from db.records.evaluations import StoredEvaluation

MOST_AT_ONCE: Final = 1_000
"""Maximum number of positions of one query."""


class _Asked(NamedTuple):
    position: Position
    answer: asyncio.Future[StoredEvaluation | None]


class BatchedLookups:
    """Finds stored evaluations in a thread, with one query for many requests."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[_Asked] = deque()
        self._is_asked = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="c4-lookups", daemon=True)
        self._thread.start()

    async def find(self, position: Position) -> StoredEvaluation | None:
        """The stored evaluation of the canonical position; None also if it cannot be read.

        Call it in one event loop only.
        """
        asked = _Asked(position, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        if not self._is_asked.is_set():
            self._is_asked.set()
        return await asked.answer

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self._is_asked.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._is_closed:
            self._is_asked.wait()
            self._is_asked.clear()  # before taking requests: later requests set it again
            while asked := self._take():
                found = self._find(asked)
                try:
                    asked[0].answer.get_loop().call_soon_threadsafe(_tell, asked, found)
                except RuntimeError:  # the event loop has ended, and no request waits
                    return

    def _take(self) -> list[_Asked]:
        number = min(len(self._waiting), MOST_AT_ONCE)
        return [self._waiting.popleft() for _ in range(number)]

    def _find(self, asked: Sequence[_Asked]) -> list[StoredEvaluation | None]:
        """The answers in order, or None after an error, so that no request waits forever."""
        of_board: defaultdict[BoardSize, list[Position]] = defaultdict(list)
        for position, _ in asked:
            of_board[position.board].append(position)
        found: dict[BoardSize, dict[int, StoredEvaluation]] = {}
        for board, positions in of_board.items():
            try:
                found[board] = look_up(self._database, positions)
            except StorageError as error:
                LOGGER.warning("answered without the database: %s", error)
                found[board] = {}
            except Exception as error:  # noqa: BLE001 (a fault must not end the thread)
                LOGGER.error("a fault in c4: %s: %s", type(error).__name__, error, exc_info=error)
                found[board] = {}
        return [found[position.board].get(position.canonical_key) for position, _ in asked]


def _tell(asked: Sequence[_Asked], found: Sequence[StoredEvaluation | None]) -> None:
    """Give the answers to the waiting requests, in the event loop."""
    for (_, answer), row in zip(asked, found, strict=True):
        if not answer.done():
            answer.set_result(row)


SLOW_SECONDS: Final = 0.02
"""A read that takes longer is slow: the event loop stops reading."""
AVOID_SECONDS: Final = 1.0
"""Time after a slow read until the event loop reads again."""


class Lookups:
    """Finds stored evaluations. For one event loop only."""

    def __init__(self, database: Database) -> None:
        self._reader = database.nonblocking_reader()
        self._gathering = BatchedLookups(database)
        self._avoided_until = 0.0

    async def find(self, position: Position) -> StoredEvaluation | None:
        """The stored evaluation of the canonical position; None also if it cannot be read."""
        if self._reader is not None and time.monotonic() >= self._avoided_until:
            with suppress(StorageError):  # the thread tries again, and logs the error
                return self._find_at_once(self._reader, position)
        return await self._gathering.find(position)

    def close(self) -> None:
        """End the thread, and close the connection."""
        self._gathering.close()
        if self._reader is not None:
            self._reader.close()

    def _find_at_once(
        self, reader: NonBlockingReader, position: Position
    ) -> StoredEvaluation | None:
        began = time.monotonic()
        try:
            return evaluations.find_without_waiting(reader, position.board, position.canonical_key)
        finally:
            ended = time.monotonic()
            if ended - began > SLOW_SECONDS:
                self._avoided_until = ended + AVOID_SECONDS
