"""Waiting for an unreachable database, and periodic tasks, including failing ones."""

import threading
from itertools import chain, repeat
from typing import Any
from unittest.mock import Mock

import pytest

from db.errors import (
    BusyError,
    CorruptError,
    DiskFullError,
    MatchNotFoundError,
    ReadOnlyError,
    RefusedValueError,
    StorageError,
    UnreachableError,
)
from tests.support.running.waiting import HANG_SECONDS, await_that
from workers.core import run
from workers.core.leases import PeriodicTask, PeriodicThread
from workers.core.run import LONGEST_PAUSE, RetryingWriter, open_patiently, pause
from workers.logs import LOGGER


def flaky(*errors: Exception) -> Any:  # noqa: ANN401
    """A database that is unreachable for some calls."""
    return Mock(run=Mock(side_effect=[*errors, 7]))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "FIRST_PAUSE", 1e-4)
    monkeypatch.setattr(run, "LONGEST_PAUSE", 1e-3)


@pytest.mark.parametrize(
    "kind", [UnreachableError, BusyError, DiskFullError, ReadOnlyError, StorageError]
)
def test_a_writer_waits_for_the_end_of_an_outage(kind: type[StorageError]) -> None:
    database = flaky(*[kind("away")] * 3)
    assert RetryingWriter(database, threading.Event()).run(abs) == 7
    assert [call.args for call in database.run.call_args_list] == [(abs,)] * 4


@pytest.mark.parametrize(
    "error", [CorruptError("damaged"), RefusedValueError("too large"), MatchNotFoundError(7)]
)
def test_permanent_errors_are_raised(error: StorageError) -> None:
    with pytest.raises(type(error)):
        RetryingWriter(flaky(error), threading.Event()).run(abs)


def test_unknown_errors_are_raised_after_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "UNKNOWN_SECONDS", 0.01)
    with pytest.raises(StorageError, match="strange"):
        RetryingWriter(flaky(*[StorageError("strange")] * 999), threading.Event()).run(abs)


def test_a_stopping_writer_does_not_wait() -> None:
    stopping = threading.Event()
    stopping.set()
    database = flaky(*[UnreachableError("away")] * 3)
    with pytest.raises(UnreachableError):
        RetryingWriter(database, stopping).run(abs)
    assert database.run.call_count == 1


def test_pauses_grow_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert 0.1 <= pause(0) <= 0.2
    for tries in (4, 100):
        assert LONGEST_PAUSE / 2 <= pause(tries) <= LONGEST_PAUSE


def test_an_unreachable_server_is_retried_and_a_missing_directory_is_not() -> None:
    stopping = threading.Event()
    stopping.set()
    assert open_patiently("postgresql://c4@127.0.0.1:1/c4", stopping) is None
    with pytest.raises(UnreachableError, match="no directory"):
        open_patiently("sqlite:////no/such/directory/c4.db", threading.Event())


def test_a_failing_duty_is_repeated_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    outcomes = [None, UnreachableError("away"), False, ValueError("oops"), None]
    do = Mock(side_effect=chain(outcomes, repeat(None)))

    LOGGER.propagate = True
    with caplog.at_level("INFO", LOGGER.name):
        thread = PeriodicThread([PeriodicTask("boil water", lambda: 0.001, do)])
        thread.start()
        await_that(lambda: do.call_count > len(outcomes))
        thread.close()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
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

    seldom = PeriodicTask("be seldom", lambda: 3600.0, lambda: done.append("seldom"))
    thread = PeriodicThread([seldom, PeriodicTask("be often", lambda: 0.001, often)])
    thread.start()
    assert enough.wait(HANG_SECONDS)
    thread.close()
    assert (done.count("seldom"), done[0]) == (1, "seldom")
