"""Fast lookups in the event loop, slow ones in a thread, and the cache of answers."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db import evaluations
from db.database import Database, NonBlockingReader
from db.errors import CorruptError, UnreachableError
from db.records.evaluations import StoredEvaluation
from web import service
from web.service import LONGEST_QUESTION, BatchedLookups, Known, Lookups
from workers.answers.find import evaluate, look_up
from workers.answers.question import Question

STORED = Position("1213", width=5, height=4)
OTHER = Position("12", width=5, height=4)
MANY = [Position(moves, width=5, height=4) for moves in ("1213", "3452", "1223")]
UNKNOWN = [Position("12", width=5, height=4), Position("2252576253462244111563365343671351441")]


@pytest.fixture
def database(sqlite_path: Path) -> Iterator[Database]:
    """An SQLite file that contains one position."""
    with Database.open(str(sqlite_path)) as opened:
        evaluate([STORED], Question(), Solver(), opened)
        yield opened


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the lookup threads, one for each query.

    No read counts as slow, however busy the machine is.
    """
    names: list[str] = []

    def noted(database: Database, positions: list[Position]) -> dict[int, StoredEvaluation]:
        names.append(threading.current_thread().name)
        return look_up(database, positions)

    monkeypatch.setattr(service, "look_up", noted)
    monkeypatch.setattr("web.service.SLOW_SECONDS", 60.0)
    return names


def find(lookups: Lookups, position: Position) -> StoredEvaluation | None:
    return asyncio.run(lookups.find(position))


def test_a_local_file_is_read_at_once(database: Database, in_threads: list[str]) -> None:
    lookups = Lookups(database)
    found = find(lookups, STORED.mirrored())
    assert found is not None
    assert found.key == STORED.canonical_key
    assert find(lookups, OTHER) is None
    evaluate([OTHER], Question(), Solver(), database)
    assert find(lookups, OTHER) is not None
    lookups.close()
    assert not in_threads


def test_a_locked_file_does_not_block_the_event_loop(
    sqlite_path: Path, database: Database, in_threads: list[str]
) -> None:
    database.close()
    other = sqlite3.connect(sqlite_path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")  # in this mode a writer blocks readers

    async def ask(lookups: Lookups) -> StoredEvaluation | None:
        other.execute("BEGIN EXCLUSIVE")
        asking = asyncio.ensure_future(lookups.find(STORED))
        await asyncio.sleep(0)  # the event loop runs although the answer is missing
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


def test_after_a_slow_read_a_thread_reads_for_a_while(
    database: Database, in_threads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = evaluations.find_without_waiting

    def wait(reader: NonBlockingReader, board: BoardSize, key: int) -> StoredEvaluation | None:
        time.sleep(0.01)
        return slow(reader, board, key)

    lookups = Lookups(database)
    monkeypatch.setattr("web.service.SLOW_SECONDS", 0.005)
    monkeypatch.setattr("web.service.AVOID_SECONDS", 60.0)
    monkeypatch.setattr(evaluations, "find_without_waiting", wait)
    assert find(lookups, STORED) is not None
    assert not in_threads
    assert find(lookups, STORED) is not None
    lookups.close()
    assert in_threads == ["c4-lookups"]


def test_failed_reads_are_left_to_the_thread(
    database: Database, in_threads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise CorruptError("damaged")

    lookups = Lookups(database)
    monkeypatch.setattr(evaluations, "find_without_waiting", fail)
    assert find(lookups, STORED) is not None
    lookups.close()
    assert in_threads == ["c4-lookups"]


async def find_all(
    found: BatchedLookups, positions: list[Position]
) -> list[StoredEvaluation | None]:
    return await asyncio.gather(*(found.find(position) for position in positions))


def test_each_query_gets_its_own_answer(database: Database) -> None:
    evaluate(MANY, Question(), Solver(), database)
    found = BatchedLookups(database)
    asked = [*MANY, *UNKNOWN, *(position.mirrored() for position in MANY)] * 50
    answers = asyncio.run(find_all(found, asked))
    found.close()
    keys = [None if answer is None else answer.key for answer in answers]
    known = [None if position in UNKNOWN else position.canonical_key for position in asked]
    assert keys == known


def test_simultaneous_questions_become_one_query(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    sizes = []

    def slow(database: Database, positions: list[Position]) -> dict[int, StoredEvaluation]:
        may_go_on.wait()
        sizes.append(len(positions))
        return look_up(database, positions)

    monkeypatch.setattr(service, "look_up", slow)
    found = BatchedLookups(database)

    async def ask() -> None:
        asking = asyncio.ensure_future(find_all(found, MANY * 100))
        for _ in range(3):  # turns of the event loop, in which all send their queries
            await asyncio.sleep(0)
        may_go_on.set()
        await asking

    asyncio.run(ask())
    found.close()
    assert sum(sizes) == 300
    assert len(sizes) <= 2


@pytest.mark.parametrize("error", [UnreachableError("away"), KeyError("a fault")])
def test_a_failing_database_gives_no_answers(
    database: Database, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    found = BatchedLookups(database)
    monkeypatch.setattr(service, "look_up", fail)
    assert asyncio.run(find_all(found, MANY)) == [None] * 3
    monkeypatch.setattr(service, "look_up", look_up)
    known = [answer is not None for answer in asyncio.run(find_all(found, MANY))]
    assert known == [True, False, False]
    found.close()


def test_the_cache_of_answers_is_limited() -> None:
    known = Known(2)
    known.keep("/a", b"1", b"one")
    known.keep("/a", b"2", b"two")
    assert known.find("/a", b"1") == b"one"
    known.keep("/b", b"1", b"three")
    assert known.find("/a", b"2") is None  # it was the least recently used
    assert known.find("/a", b"1") == b"one"
    assert known.find("/b", b"1") == b"three"
    known.keep("/a", b"x" * (LONGEST_QUESTION + 1), b"four")
    assert known.find("/a", b"x" * (LONGEST_QUESTION + 1)) is None
