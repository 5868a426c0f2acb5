"""Looking up what is stored: at once where that is quick, otherwise in a thread.

A row of a local SQLite file takes less time than the way to a thread and back. There, the thread
would also have to wait for the interpreter after every row, behind an event loop that is busy:
measured with 16 clients, one answer of a hundred took 50 ms for that reason. So the event loop
reads itself, and leaves to the thread (:mod:`web.gathering`)

- what is on a server,
- what is locked by others,
- and, after a read that was slow, all that is asked for a while: so a slow disk holds the event
  loop for one read in that time.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from db import evaluations
from db.errors import StorageError
from web.gathering import Gathering

if TYPE_CHECKING:
    from c4core.position import Position
    from db.database import AtOnce, Database
    from db.records.evaluations import StoredEvaluation

SLOW_SECONDS: Final = 0.02
"""A read that takes longer is one that the event loop must not wait for again."""
AVOID_SECONDS: Final = 1.0
"""Time after that until the event loop tries again."""


class Lookups:
    """Finds stored evaluations. For one event loop only.

    Args:
        database: that knows them.

    Raises:
        StorageError: it cannot be opened once more.
    """

    def __init__(self, database: Database) -> None:
        self._reader = database.at_once()
        self._gathering = Gathering(database)
        self._avoided_until = 0.0

    async def find(self, position: Position) -> StoredEvaluation | None:
        """What is stored about a position's canonical one; None also where nobody can read it."""
        if self._reader is not None and time.monotonic() >= self._avoided_until:
            with suppress(StorageError):  # the thread waits for it, or says what is wrong
                return self._find_at_once(self._reader, position)
        return await self._gathering.find(position)

    def close(self) -> None:
        """End the thread, and close the connection."""
        self._gathering.close()
        if self._reader is not None:
            self._reader.close()

    def _find_at_once(self, reader: AtOnce, position: Position) -> StoredEvaluation | None:
        began = time.monotonic()
        try:
            return evaluations.find_at_once(reader, position.board, position.canonical_key)
        finally:
            ended = time.monotonic()
            if ended - began > SLOW_SECONDS:
                self._avoided_until = ended + AVOID_SECONDS
