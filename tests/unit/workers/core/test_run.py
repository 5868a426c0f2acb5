"""Waiting for an unreachable database."""

import threading
from collections.abc import Callable

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
from workers.core import run
from workers.core.run import LONGEST_PAUSE, RetryingWriter, open_patiently, pause


class Flaky:
    """A database that is unreachable for some calls."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    def run(self, work: Callable[[object], object]) -> object:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return work(None)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "FIRST_PAUSE", 1e-4)
    monkeypatch.setattr(run, "LONGEST_PAUSE", 1e-3)


@pytest.mark.parametrize(
    "kind", [UnreachableError, BusyError, DiskFullError, ReadOnlyError, StorageError]
)
def test_a_writer_waits_for_the_end_of_an_outage(kind: type[StorageError]) -> None:
    database = Flaky(*[kind("away")] * 3)
    assert RetryingWriter(database, threading.Event()).run(lambda _session: 7) == 7
    assert database.calls == 4


@pytest.mark.parametrize(
    "error", [CorruptError("damaged"), RefusedValueError("too large"), MatchNotFoundError(7)]
)
def test_permanent_errors_are_raised(error: StorageError) -> None:
    database = Flaky(error)
    with pytest.raises(type(error)):
        RetryingWriter(database, threading.Event()).run(lambda _session: 7)


def test_unknown_errors_are_raised_after_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "UNKNOWN_SECONDS", 0.01)
    with pytest.raises(StorageError, match="strange"):
        RetryingWriter(Flaky(*[StorageError("strange")] * 999), threading.Event()).run(abs)


def test_a_stopping_writer_does_not_wait() -> None:
    stopping = threading.Event()
    stopping.set()
    database = Flaky(*[UnreachableError("away")] * 3)
    with pytest.raises(UnreachableError):
        RetryingWriter(database, stopping).run(lambda _session: 7)
    assert database.calls == 1


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
