"""Waiting for a database that is away."""

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
    """A database that is away for some calls."""

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
def test_an_outage_is_waited_for(kind: type[StorageError]) -> None:
    database = Flaky(*[kind("away")] * 3)
    assert RetryingWriter(database, threading.Event()).run(lambda _session: 7) == 7
    assert database.calls == 4


@pytest.mark.parametrize(
    "error", [CorruptError("damaged"), RefusedValueError("too large"), MatchNotFoundError(7)]
)
def test_what_does_not_pass_is_raised(error: StorageError) -> None:
    database = Flaky(error)
    with pytest.raises(type(error)):
        RetryingWriter(database, threading.Event()).run(lambda _session: 7)


def test_what_nobody_knows_is_raised_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "UNKNOWN_SECONDS", 0.01)
    with pytest.raises(StorageError, match="strange"):
        RetryingWriter(Flaky(*[StorageError("strange")] * 999), threading.Event()).run(abs)


def test_nobody_waits_who_was_told_to_stop() -> None:
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


def test_a_server_that_is_away_is_waited_for_and_a_directory_is_not() -> None:
    stopping = threading.Event()
    stopping.set()
    assert open_patiently("postgresql://c4@127.0.0.1:1/c4", stopping) is None
    with pytest.raises(UnreachableError, match="no directory"):
        open_patiently("sqlite:////no/such/directory/c4.db", threading.Event())
