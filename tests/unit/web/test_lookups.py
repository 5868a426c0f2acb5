"""Looking up at once, and leaving to a thread what would hold the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from typing import TYPE_CHECKING

import pytest

from c4core.position import Position
from c4core.solver import Solver
from db import evaluations
from db.database import Database
from db.errors import CorruptError
from web import gathering
from web.lookups import Lookups
from workers.answers.find import evaluate, look_up
from workers.answers.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from c4core.notation import BoardSize
    from db.database import AtOnce
    from db.records.evaluations import StoredEvaluation

STORED = Position("1213", width=5, height=4)
OTHER = Position("12", width=5, height=4)


@pytest.fixture
def database(sqlite_path: Path) -> Iterator[Database]:
    """An SQLite file that knows one position."""
    with Database.open(str(sqlite_path)) as opened:
        evaluate([STORED], Question(), Solver(), opened)
        yield opened


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads that lookups are left to, one for each query.

    No read counts as slow, however busy the machine is.
    """
    names: list[str] = []

    def noted(database: Database, positions: list[Position]) -> dict[int, StoredEvaluation]:
        names.append(threading.current_thread().name)
        return look_up(database, positions)

    monkeypatch.setattr(gathering, "look_up", noted)
    monkeypatch.setattr("web.lookups.SLOW_SECONDS", 60.0)
    return names


def find(lookups: Lookups, position: Position) -> StoredEvaluation | None:
    return asyncio.run(lookups.find(position))


def test_a_local_file_is_read_at_once(database: Database, in_threads: list[str]) -> None:
    lookups = Lookups(database)
    found = find(lookups, STORED.mirrored())
    assert found is not None
    assert found.key == STORED.canonical_key
    assert find(lookups, OTHER) is None
    lookups.close()
    assert not in_threads


def test_what_is_stored_later_is_found(database: Database, in_threads: list[str]) -> None:
    lookups = Lookups(database)
    assert find(lookups, OTHER) is None
    evaluate([OTHER], Question(), Solver(), database)
    assert find(lookups, OTHER) is not None
    lookups.close()
    assert not in_threads


def test_a_locked_file_does_not_hold_the_event_loop(
    sqlite_path: Path, database: Database, in_threads: list[str]
) -> None:
    database.close()
    other = sqlite3.connect(sqlite_path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")  # where who writes keeps others from reading

    async def ask(lookups: Lookups) -> StoredEvaluation | None:
        other.execute("BEGIN EXCLUSIVE")
        asking = asyncio.ensure_future(lookups.find(STORED))
        await asyncio.sleep(0)  # the event loop turns, although the answer is not there
        assert not asking.done()
        other.execute("ROLLBACK")
        return await asking

    with Database.open(str(sqlite_path)) as again:
        lookups = Lookups(again)
        found = asyncio.run(ask(lookups))
        lookups.close()
    other.close()
    assert found is not None
    assert in_threads == ["c4-lookups"]


def test_after_a_slow_read_the_thread_reads_for_a_while(
    database: Database, in_threads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = evaluations.find_at_once

    def wait(reader: AtOnce, board: BoardSize, key: int) -> StoredEvaluation | None:
        time.sleep(0.01)
        return slow(reader, board, key)

    lookups = Lookups(database)
    monkeypatch.setattr("web.lookups.SLOW_SECONDS", 0.005)
    monkeypatch.setattr("web.lookups.AVOID_SECONDS", 60.0)
    monkeypatch.setattr(evaluations, "find_at_once", wait)
    assert find(lookups, STORED) is not None
    assert not in_threads
    assert find(lookups, STORED) is not None
    lookups.close()
    assert in_threads == ["c4-lookups"]


def test_what_cannot_be_read_is_left_to_the_thread(
    database: Database, in_threads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise CorruptError("damaged")

    lookups = Lookups(database)
    monkeypatch.setattr(evaluations, "find_at_once", fail)
    assert find(lookups, STORED) is not None
    lookups.close()
    assert in_threads == ["c4-lookups"]
