"""Periodic tasks, including failing ones."""

import threading

import pytest

from db.errors import UnreachableError
from tests.support.running.waiting import HANG_SECONDS
from workers.core.leases import PeriodicTask, PeriodicThread
from workers.logs import LOGGER


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.getMessage()) for record in caplog.records]


def test_a_failing_duty_is_repeated_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    outcomes = iter([None, UnreachableError("away"), False, ValueError("oops"), None])
    done = threading.Event()

    def do() -> bool | None:
        outcome = next(outcomes, "end")
        if isinstance(outcome, Exception):
            raise outcome
        if outcome == "end":
            done.set()
            return None
        return outcome

    LOGGER.propagate = True
    with caplog.at_level("INFO", LOGGER.name):
        thread = PeriodicThread([PeriodicTask("boil water", lambda: 0.001, do)])
        thread.start()
        assert done.wait(HANG_SECONDS)
        thread.close()
    assert told(caplog) == [
        ("WARNING", "cannot boil water, trying again: away"),
        ("ERROR", "cannot boil water, trying again: ValueError('oops')"),
        ("WARNING", "it is possible again to boil water"),
    ]


def test_every_duty_has_its_own_period() -> None:
    done: list[str] = []
    enough = threading.Event()

    def often() -> None:
        done.append("often")
        if len(done) > 20:
            enough.set()

    thread = PeriodicThread(
        [
            PeriodicTask("be seldom", lambda: 3600.0, lambda: done.append("seldom")),
            PeriodicTask("be often", lambda: 0.001, often),
        ]
    )
    thread.start()
    assert enough.wait(HANG_SECONDS)
    thread.close()
    assert done.count("seldom") == 1
    assert done.index("seldom") == 0
