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
    (:mod:`db.jobs.watching`): a thousand done positions may say little about the thousand others.

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
    """Looks at a job now and then.

    Args:
        database: where the job lives.
        job_id: its number.
        on_look: called with the job's state at each look, in the same thread.
        on_progress: called with the progress after it; None if nobody wants to know: only the job's
            state is read then.
    """

    def __init__(
        self,
        database: Database,
        job_id: int,
        *,
        on_look: Callable[[JobState], None] = lambda _state: None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._database = database
        self._job_id = job_id
        self._on_look = on_look
        self._tell = on_progress
        self._meter: ProgressMeter | None = None
        self._progress: Progress | None = None
        self._state = self._read()
        self._next = 0.0

    def look(self, *, at_once: bool = False) -> bool:
        """Whether the job had ended when its state was last read.

        Args:
            at_once: read it again even if the last time was not long ago.
        """
        now = time.monotonic()
        if now >= self._next or (at_once and not self._has_ended):
            if not self._has_ended:
                self._state = self._read()
            self._next = now + LOOK_SECONDS
            self._on_look(self._state)
            if self._tell is not None and self._progress is not None:
                self._tell(self._progress)
        return self._has_ended

    @property
    def _has_ended(self) -> bool:
        return self._state is not JobState.RUNNING

    def _read(self) -> JobState:
        with self._database.read() as session:
            if self._tell is None:
                return jobs.state_of(session, self._job_id)
            seen = jobs.progress(session, self._job_id)
        self._meter = self._meter or ProgressMeter(seen)
        self._progress = self._meter.look(seen)
        return seen.state
