"""Waiting for a database that cannot be reached, so that no result is lost."""

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
"""Errors that pass: a server or a network comes back, other writers come to their end."""

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 3.0
"""Seconds between two attempts: they double from the first to the longest."""


class RetryingWriter:
    """Writes to a database, and waits while it cannot be reached. Thread-safe.

    Args:
        database: may be unreachable for any time.
        stopping: ends the waiting when it is set.
    """

    def __init__(self, database: Database, stopping: threading.Event) -> None:
        self._database = database
        self._stopping = stopping
        self._is_away = False

    def run(self, work: Callable[[Session], T]) -> T:
        """As ``Database.run``; it is repeated while the database cannot be reached.

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
    """Open a database as soon as it can be reached.

    Args:
        url: as for ``Database.open``.
        stopping: ends the waiting when it is set.

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
                raise  # a missing directory does not come back by itself
            tell = LOGGER.debug if tries else LOGGER.warning
            tell("waiting for the database: %s", error)
            if stopping.wait(pause(tries)):
                return None
    raise AssertionError  # count() does not end


def pause(tries: int) -> float:
    """Seconds to wait after so many failed attempts.

    With jitter, workers that lost the database together come back at different times.
    """
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(tries, 10))
    return random.uniform(0.5, 1) * longest  # noqa: S311 (no secret)
