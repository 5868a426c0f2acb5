"""The duties of a worker: the sweeper's reports, and reasons why a worker gets no units."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.jobs.watching import RunningJob
from tests.support.jobs import LEASE, must_take
from tests.support.running.databases import FakeClock, make_job
from workers.celery import process
from workers.celery.process import why_idle
from workers.core.kinds import Lane
from workers.logs import LOGGER

NO_BELL: Any = None

OURS = RunningJob(1, "analyze", ENGINE_VERSION, 0)
URGENT = OURS._replace(id=2, priority=100)
NEWER = OURS._replace(id=3, engine_version=ENGINE_VERSION + 1)
STRANGE = OURS._replace(id=4, kind="tea")
BOTH = tuple(Lane)


@pytest.mark.parametrize(("lapsed", "told"), [(1, "1 unit whose"), (2, "2 units whose")])
def test_units_queued_again_are_reported(
    timed: Database,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    lapsed: int,
    told: str,
) -> None:
    monkeypatch.setattr(process, "top_up", lambda *_: None)
    monkeypatch.setattr(LOGGER, "propagate", True)
    make_job(timed, 3)
    for _ in range(lapsed):
        must_take(timed)
    clock.time += LEASE + 1
    with caplog.at_level(logging.INFO, logger=LOGGER.name):
        assert process.sweep(timed, NO_BELL)
    assert caplog.messages == [f"queued again: {told} lease ran out"]


def test_many_workers_together_sweep_as_often_as_one() -> None:
    pauses = [process.pause_between_sweeps(peers) for peers in (1, 20, 100, 1000)]
    assert pauses == [1.0, 1.0, 5.0, 50.0]


@pytest.mark.parametrize(
    ("jobs", "lanes", "note"),
    [
        ([], BOTH, None),
        ([OURS], BOTH, None),
        ([URGENT], BOTH, None),
        ([NEWER, OURS], BOTH, None),
        ([STRANGE, URGENT], BOTH, None),
        ([OURS, URGENT], [Lane.INTERACTIVE], None),
        ([NEWER], BOTH, f"are for engine version {ENGINE_VERSION + 1}, this is {ENGINE_VERSION}"),
        ([STRANGE, NEWER], BOTH, "does not know: tea"),
        ([URGENT], [Lane.BULK], "are interactive"),
        ([OURS], [Lane.INTERACTIVE], "are bulk"),
    ],
)
def test_the_reason_why_a_worker_is_idle(
    jobs: list[RunningJob], lanes: Sequence[Lane], note: str | None
) -> None:
    found = why_idle(jobs, lanes)
    assert found is None if note is None else note in str(found)
