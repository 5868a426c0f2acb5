"""What a process keeps about jobs: about the newest ones of each database, while it is in use."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.database import Database

REMEMBERED: Final = 8
"""The number of jobs of a database that something is kept about."""

T = TypeVar("T")


class NewestJobs(Generic[T]):
    """Keeps one thing for each of the jobs that were asked for last. Any thread may ask."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Database, OrderedDict[int, T]] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def get(
        self,
        database: Database,
        job_id: int,
        make: Callable[[], T],
        *,
        is_good: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """What is kept for a job.

        Args:
            database: the job's.
            job_id: its number.
            make: makes it, if there is none yet.
            is_good: whether what is kept may be used on; else it is made anew.
        """
        with self._lock:
            of_jobs = self._kept.setdefault(database, OrderedDict())
            if job_id not in of_jobs or not is_good(of_jobs[job_id]):
                of_jobs[job_id] = make()
            of_jobs.move_to_end(job_id)
            if len(of_jobs) > REMEMBERED:
                of_jobs.popitem(last=False)
            return of_jobs[job_id]

    def job_ids(self, database: Database) -> list[int]:
        """The jobs of a database that something is kept for; the one asked for last comes last."""
        with self._lock:
            return list(self._kept.get(database, ()))
