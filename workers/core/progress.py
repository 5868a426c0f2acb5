"""The progress of a job: what is done, the rate, and the remaining time if it can be told."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from db import jobs
from db.records.jobs import JobState

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.database import Database
    from db.records.jobs import JobProgress

LOOK_SECONDS = 0.25
"""Time between two looks at a job."""

LEAST_SECONDS = 1.0
"""A rate over a shorter time is too much a matter of chance."""

LEAST_UNITS = 3
"""A rate over fewer completed units is, too."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a watched job at some moment."""

    job: JobProgress
    """The database's counts of units, positions, nodes; its own rate is that of the last minute."""
    seconds: float
    """Seconds since the watching began."""
    rate: float | None
    """Positions per second since the watching began; None until enough is done."""
    remaining: float | None
    """Seconds until the end, as measured from similar units; None while not known."""


class ProgressMeter:
    """Turns snapshots of a job into rates.

    Only positions that are completed during the watching count for the rate: those that were done
    before a resumption say nothing about the present rate. The remaining time is the database's
    (:mod:`db.jobs.pace`): a thousand done positions may say little about the thousand others.

    Args:
        first: the job when the watching begins.
        clock: seconds, monotonic.
    """

    def __init__(self, first: JobProgress, clock: Callable[[], float] = time.monotonic) -> None:
        self._first = first
        self._clock = clock
        self._start = clock()

    def look(self, now: JobProgress) -> Progress:
        """The progress at a later snapshot of the same job."""
        seconds = self._clock() - self._start
        left = now.positions - now.positions_done - now.positions_failed
        done = now.positions_done - self._first.positions_done
        units = now.units_done - self._first.units_done
        if left == 0:
            return Progress(now, seconds, done / seconds if seconds > 0 and done else None, 0.0)
        is_chance = seconds < LEAST_SECONDS or units < LEAST_UNITS or done <= 0
        return Progress(now, seconds, None if is_chance else done / seconds, now.eta_seconds)


class JobWatch:
    """Reads the state of a job now and then, and reports its progress.

    Args:
        database: where the job lives.
        job_id: its number.
        on_progress: called with each new state, in the same thread; None for no reports.
    """

    def __init__(
        self,
        database: Database,
        job_id: int,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._database = database
        self._job_id = job_id
        self._tell = on_progress
        self._last = self._read()
        self._meter = ProgressMeter(self._last)
        self._next = 0.0

    def look(self, *, at_once: bool = False) -> bool:
        """Whether the job had ended when its state was last read.

        Args:
            at_once: read it again even if the last time was not long ago.
        """
        now = time.monotonic()
        if now >= self._next or (at_once and not self._has_ended):
            if not self._has_ended:
                self._last = self._read()
            self._next = now + LOOK_SECONDS
            if self._tell is not None:
                self._tell(self._meter.look(self._last))
        return self._has_ended

    @property
    def _has_ended(self) -> bool:
        return self._last.state is not JobState.RUNNING

    def _read(self) -> JobProgress:
        with self._database.read() as session:
            return jobs.progress(session, self._job_id)
