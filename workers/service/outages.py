"""Waiting for a database that is away, instead of giving up or losing what was to be written."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING, Final, TypeVar

from db.database import Database
from db.errors import BusyError, UnreachableError
from workers.logs import LOGGER

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from db.session import Session

T = TypeVar("T")

OUTAGES: Final = (UnreachableError, BusyError)
"""Errors that pass: the server comes back, the network comes back, others end their writing."""

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 3.0
"""Seconds between two attempts: doubled from the first to the longest."""


class RetryingWriter:
    """Writes to a database, and waits while it is away. Thread-safe.

    Args:
        database: may be away for any time.
        stopping: set to end the waiting.
    """

    def __init__(self, database: Database, stopping: threading.Event) -> None:
        self._database = database
        self._stopping = stopping
        self._is_away = False

    def run(self, work: Callable[[Session], T]) -> T:
        """As ``Database.run``, again and again while the database is away.

        Raises:
            StorageError: the error does not pass, or the waiting was ended.
        """
        for tries in count():
            try:
                result = self._database.run(work)
            except OUTAGES as error:
                self._tell(error)
                if self._stopping.wait(pause(tries)):
                    raise
            else:
                if self._is_away:
                    self._is_away = False
                    LOGGER.warning("the database is back")
                return result
        raise AssertionError  # count() does not end

    def _tell(self, error: Exception) -> None:
        tell = LOGGER.debug if self._is_away else LOGGER.warning
        self._is_away = True
        tell("trying again: %s", error)


def open_patiently(url: str, stopping: threading.Event) -> Database | None:
    """Open a database as soon as it is there.

    Args:
        url: as for ``Database.open``.
        stopping: set to end the waiting.

    Returns:
        None if the waiting was ended.

    Raises:
        StorageError: it can never be used.
    """
    for tries in count():
        try:
            return Database.open(url)
        except UnreachableError as error:
            if not url.startswith("postgres"):
                raise  # a directory that is not there does not come back by itself
            tell = LOGGER.debug if tries else LOGGER.warning
            tell("waiting for the database: %s", error)
            if stopping.wait(pause(tries)):
                return None
    raise AssertionError  # count() does not end


def pause(tries: int) -> float:
    """Seconds to wait after so many attempts before this one have failed.

    Jitter keeps workers apart that lost the database together.
    """
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(tries, 10))
    return random.uniform(0.5, 1) * longest  # noqa: S311 (no secret)
