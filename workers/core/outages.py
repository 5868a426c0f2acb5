"""Waiting for a database that cannot be written, so that no result is lost.

What a fault costs is decided here and in :func:`workers.core.execution.run_unit`:

- A fault of the request itself (``REQUEST_FAULTS``, or any error that is not the database's) is the
  unit's own. It counts as an attempt, and the unit fails after MAX_ATTEMPTS.
- A fault that passes (``PASSING_FAULTS``) is waited for, with the results in memory.
- A fault that lasts (``LASTING_FAULTS``) ends the try. The unit is handed back, and the attempt
  does not count.
- Any other fault of the database is waited for as if it passed, but for UNKNOWN_SECONDS only. Then
  the unit is handed back as if its lease had run out, which it can be MAX_LAPSES times: nobody
  knows whether the unit has caused it.
"""

from __future__ import annotations

import errno
import random
import time
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar

from db.database import Database
from db.errors import (
    LASTING_FAULTS,
    PASSING_FAULTS,
    REQUEST_FAULTS,
    StorageError,
    UnreachableError,
)
from workers.logs import LOGGER

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from db.database import Session

T = TypeVar("T")

UNKNOWN_SECONDS: Final = 60.0
"""How long a writer tries again after an error of the database that nobody has thought of."""

_EXHAUSTED: Final = frozenset(
    {errno.EAGAIN, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 3.0
"""Seconds between two attempts: they double from the first to the longest."""


def is_machines_fault(error: OSError) -> bool:
    """Whether this machine is out of something, such as room or open files."""
    return error.errno in _EXHAUSTED


class RetryingWriter:
    """Writes to a database, and waits while it cannot be written. Thread-safe.

    Args:
        database: may be unreachable for any time.
        stopping: ends the waiting when it is set.
        passing: the faults that are waited for.
        patience: the waiting ends after so many seconds.
    """

    def __init__(
        self,
        database: Database,
        stopping: threading.Event,
        *,
        passing: tuple[type[StorageError], ...] = PASSING_FAULTS,
        patience: float = inf,
    ) -> None:
        self._database = database
        self._stopping = stopping
        self._passing = passing
        self._patience = patience
        self._is_away = False

    def run(self, work: Callable[[Session], T]) -> T:
        """As ``Database.run``; it is repeated while the database cannot be written.

        Raises:
            StorageError: the error does not pass, or the waiting was ended.
        """
        began = time.monotonic()
        for tries in count():
            try:
                result = self._database.run(work)
            except StorageError as error:
                if time.monotonic() >= began + self._waits_for(error):
                    raise
                self._tell(error)
                if self._stopping.wait(pause(tries)):
                    raise
            else:
                if self._is_away:
                    self._is_away = False
                    LOGGER.warning("the database is back")
                return result
        raise AssertionError  # count() does not end

    def _waits_for(self, error: StorageError) -> float:
        """The seconds in which this error may pass."""
        if isinstance(error, REQUEST_FAULTS):
            return 0.0
        if isinstance(error, self._passing):
            return self._patience
        if isinstance(error, PASSING_FAULTS + LASTING_FAULTS):
            return 0.0
        return min(self._patience, UNKNOWN_SECONDS)

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
