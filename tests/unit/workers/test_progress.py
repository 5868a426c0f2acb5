"""Rates and remaining time: said only when they are known."""

from dataclasses import replace

import pytest

from db.records.jobs import JobProgress, JobState
from workers.core.progress import LEAST_SECONDS, LEAST_UNITS, ProgressMeter

FIRST = JobProgress(
    job_id=1,
    state=JobState.RUNNING,
    units=10,
    units_done=2,
    units_failed=0,
    units_leased=0,
    positions=1000,
    positions_done=200,
    positions_failed=0,
    nodes=0,
    seconds=0.0,
    positions_per_second=None,
    eta_seconds=None,
)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_no_rate_is_said_before_enough_is_done() -> None:
    clock = Clock()
    meter = ProgressMeter(FIRST, clock)
    assert (meter.look(FIRST).rate, meter.look(FIRST).remaining) == (None, None)
    clock.now += LEAST_SECONDS * 10
    few = replace(FIRST, units_done=2 + LEAST_UNITS - 1, positions_done=400)
    assert meter.look(few).rate is None
    clock.now = 100 + LEAST_SECONDS / 2
    soon = replace(FIRST, units_done=2 + LEAST_UNITS, positions_done=500)
    assert meter.look(soon).rate is None


def test_the_rate_is_that_of_what_was_done_while_watching() -> None:
    clock = Clock()
    meter = ProgressMeter(FIRST, clock)
    clock.now += 4
    progress = meter.look(
        replace(FIRST, units_done=6, positions_done=600, units_failed=1, positions_failed=100)
    )
    assert progress.seconds == pytest.approx(4)
    assert progress.rate == pytest.approx(100)


def test_the_remaining_time_is_the_databases() -> None:
    meter = ProgressMeter(FIRST, Clock())
    assert meter.look(FIRST).remaining is None
    assert meter.look(replace(FIRST, eta_seconds=7.5)).remaining == 7.5


def test_at_the_end_nothing_remains() -> None:
    clock = Clock()
    meter = ProgressMeter(FIRST, clock)
    clock.now += 0.5
    progress = meter.look(replace(FIRST, units_done=10, positions_done=1000))
    assert progress.remaining == 0
    assert progress.rate == pytest.approx(1600)


def test_a_job_that_had_ended_has_no_rate() -> None:
    done = replace(FIRST, state=JobState.DONE, units_done=10, positions_done=1000)
    progress = ProgressMeter(done, Clock()).look(done)
    assert (progress.rate, progress.remaining) == (None, 0)
