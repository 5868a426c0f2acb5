"""How far a job is, how fast it goes, and how long it still takes, if that can be said."""

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
"""A rate over a shorter time is chance."""

LEAST_UNITS = 3
"""Likewise a rate over fewer completed units."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A look at a job while somebody watches it."""

    job: JobProgress
    """What the database says: units, positions, nodes; its own rate is that of the last minute."""
    seconds: float
    """Since the watching began."""
    rate: float | None
    """Positions per second since the watching began; None until enough is done."""
    remaining: float | None
    """Seconds to the end, as measured from units like those that are left; None until known."""


class ProgressMeter:
    """Turns snapshots of a job into rates.

    Only what is completed while it watches counts for the rate: the part of a resumed job that was
    done before says nothing about how fast it goes now. The remaining time is the database's
    (:mod:`db.jobs.pace`): a thousand positions done may say little about the thousand still to do.

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
    """Looks at a job now and then, and reports its progress.

    Args:
        database: where the job lives.
        job_id: its number.
        on_progress: called at each look, in the thread that looks; None for nobody.
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
        """Whether the job had ended when it was last looked at.

        Args:
            at_once: look again even if the last time is not long ago.
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
