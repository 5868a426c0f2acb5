"""The progress of a job."""

from dataclasses import replace
from typing import Any

import pytest

from db.records.jobs import JobProgress, JobState
from tests.support.running.databases import FakeClock
from workers.core.follow import LEAST_SECONDS, LEAST_UNITS, ProgressMeter
from workers.core.kinds import Lane, lane_of_job

FIRST = JobProgress(
    job_id=1,
    state=JobState.RUNNING,
    units=10,
    units_done=2,
    units_failed=0,
    units_leased=0,
    silent_seconds=None,
    positions=1000,
    positions_done=200,
    positions_failed=0,
    nodes=0,
    seconds=0.0,
    positions_per_second=None,
    eta_seconds=None,
)


@pytest.mark.parametrize(
    ("seconds", "changes", "rate", "remaining"),
    [
        (0, {}, None, None),
        # No rate is shown before enough is done, in enough time.
        (LEAST_SECONDS * 10, {"units_done": 1 + LEAST_UNITS, "positions_done": 400}, None, None),
        (LEAST_SECONDS / 2, {"units_done": 2 + LEAST_UNITS, "positions_done": 500}, None, None),
        (LEAST_SECONDS, {"units_done": 2 + LEAST_UNITS, "positions_done": 500}, 300, None),
        # It counts only units that are done while watching.
        (4, {"units_done": 6, "positions_done": 600, "positions_failed": 100}, 100, None),
        # The remaining time comes from the database; at the end none remains.
        (0, {"eta_seconds": 7.5}, None, 7.5),
        (0.5, {"units_done": 10, "positions_done": 1000}, 1600, 0),
    ],
)
def test_the_rate_and_the_remaining_time(
    seconds: float, changes: dict[str, Any], rate: float | None, remaining: float | None
) -> None:
    clock = FakeClock(100.0)
    meter = ProgressMeter(FIRST, clock)
    clock.time += seconds
    progress = meter.look(replace(FIRST, **changes))
    found = (progress.seconds, progress.rate, progress.remaining)
    assert found == (pytest.approx(seconds), rate and pytest.approx(rate), remaining)


def test_a_job_that_has_already_ended_has_no_rate() -> None:
    done = replace(FIRST, state=JobState.DONE, units_done=10, positions_done=1000)
    progress = ProgressMeter(done, FakeClock()).look(done)
    assert (progress.rate, progress.remaining) == (None, 0)


def test_every_lane_and_engine_version_has_its_own_queue() -> None:
    queues = [lane.queue for lane in Lane]
    assert queues == ["c4.interactive.e1", "c4.bulk.e1"]


def test_the_priority_determines_the_lane() -> None:
    assert lane_of_job(0) is lane_of_job(99) is lane_of_job(-5) is Lane.BULK
    assert lane_of_job(100) is lane_of_job(1000) is Lane.INTERACTIVE
