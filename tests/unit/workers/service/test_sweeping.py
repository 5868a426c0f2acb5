"""What the sweeper says."""

import itertools
import logging
from typing import Any

import pytest

from db.database import Database
from tests.support.jobs import LEASE, must_take
from tests.support.running.databases import FakeClock, make_job
from workers.logs import LOGGER
from workers.service import sweeping

NO_BELL: Any = None


@pytest.mark.parametrize(("lapsed", "told"), [(1, "1 unit whose"), (2, "2 units whose")])
def test_units_that_are_queued_again_are_told(
    timed: Database,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    lapsed: int,
    told: str,
) -> None:
    monkeypatch.setattr(sweeping, "top_up", lambda *_: None)
    monkeypatch.setattr(LOGGER, "propagate", True)
    make_job(timed, 3)
    for _ in range(lapsed):
        must_take(timed)
    clock.time += LEASE + 1
    with caplog.at_level(logging.INFO, logger=LOGGER.name):
        assert sweeping.sweep(timed, NO_BELL)
    assert caplog.messages == [f"queued again: {told} lease ran out"]


def test_many_workers_do_not_sweep_more_often_together() -> None:
    pauses = [sweeping.pause_between_sweeps(peers) for peers in (1, 20, 100, 1000)]
    assert pauses == [1.0, 1.0, 5.0, 50.0]
    assert all(before <= after for before, after in itertools.pairwise(pauses))
