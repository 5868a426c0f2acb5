"""Waiting for an unreachable database, and periodic threads, including failing ones."""

import threading
from itertools import chain, repeat
from math import inf
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
from tests.support.running.waiting import await_that
from workers.celery.host import open_patiently
from workers.core import worker as module
from workers.core.leases import PeriodicThread
from workers.core.worker import LONGEST_PAUSE, Worker, WorkerSettings, pause
from workers.logs import LOGGER


def flaky(*errors: Exception) -> Any:  # noqa: ANN401
    """A database that is unreachable for some calls."""
    return Mock(run=Mock(side_effect=[*errors, 7]))


def worker(database: Any, patience: float = inf) -> Worker:  # noqa: ANN401
    return Worker(database, Mock(), WorkerSettings("test", patience=patience))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 1e-4)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 1e-3)


@pytest.mark.parametrize("kind", [UnreachableError, BusyError, DiskFullError, ReadOnlyError])
def test_a_worker_waits_for_the_end_of_an_outage(kind: type[StorageError]) -> None:
    database = flaky(*[kind("away")] * 3)
    assert worker(database).run(abs) == 7
    assert [call.args for call in database.run.call_args_list] == [(abs,)] * 4


@pytest.mark.parametrize(
    "error",
    [
        CorruptError("damaged"),
        RefusedValueError("too large"),
        MatchNotFoundError(7),
        StorageError("strange"),
    ],
)
def test_other_errors_are_raised(error: StorageError) -> None:
    with pytest.raises(type(error)):
        worker(flaky(error)).run(abs)


def test_a_command_waits_for_a_limited_time() -> None:
    assert worker(flaky(UnreachableError("away")), patience=30.0).run(abs) == 7
    with pytest.raises(UnreachableError):
        worker(flaky(*[UnreachableError("away")] * 999), patience=0.01).run(abs)
    with pytest.raises(DiskFullError):
        worker(flaky(DiskFullError("full")), patience=30.0).run(abs)


def test_a_stopping_worker_does_not_wait() -> None:
    database = flaky(*[UnreachableError("away")] * 3)
    stopping = worker(database)
    stopping.stopping.set()
    with pytest.raises(UnreachableError):
        stopping.run(abs)
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


def test_a_failing_task_is_repeated_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    outcomes = [None, UnreachableError("away"), ValueError("oops"), None]
    do = Mock(side_effect=chain(outcomes, repeat(None)))

    LOGGER.propagate = True
    with caplog.at_level("INFO", LOGGER.name):
        thread = PeriodicThread("boil water", 0.001, do)
        thread.start()
        await_that(lambda: do.call_count > len(outcomes))
        thread.close()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "cannot boil water, trying again: away"),
        ("WARNING", "it is possible again to boil water"),
    ]
