"""Reads that succeed or fail without waiting."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from c4core.notation import BoardSize
from db import evaluations
from db.database import Database, NonBlockingReader
from db.errors import BusyError, CorruptError
from db.records.evaluations import StoredEvaluation
from tests.support.running.databases import ask, do

BOARD = BoardSize(5, 4)
ROW = StoredEvaluation(7, 5, 4, 3, -2, 4, 10, 1)
LARGEST = ROW._replace(key=2**64 - 1)


@pytest.fixture
def path(sqlite_path: Path) -> Path:
    """A file with two rows."""
    with Database.open(str(sqlite_path)) as database:
        do(database, evaluations.store, BOARD, [ROW, LARGEST])
    return sqlite_path


@pytest.fixture
def opened(path: Path) -> Iterator[Database]:
    with Database.open(str(path)) as database:
        yield database


@pytest.fixture
def reader(opened: Database) -> Iterator[NonBlockingReader]:
    """A reader of the file that does not wait."""
    found = opened.nonblocking_reader()
    assert found is not None
    with closing(found):
        yield found


@pytest.mark.postgres
def test_servers_have_no_reader_that_does_not_wait(postgres_url: str) -> None:
    with Database.open(postgres_url) as database:
        assert database.nonblocking_reader() is None


def test_the_reader_agrees_with_a_session(opened: Database, reader: NonBlockingReader) -> None:
    for row in (ROW, LARGEST):
        found = evaluations.find_without_waiting(reader, BOARD, row.key)
        assert found is not None
        assert found == ask(opened, evaluations.find, BOARD, row.key)
    assert evaluations.find_without_waiting(reader, BOARD, 8) is None
    assert evaluations.find_without_waiting(reader, BoardSize(7, 6), 7) is None


def test_the_reader_sees_each_commit_and_blocks_no_writer(
    opened: Database, reader: NonBlockingReader
) -> None:
    for lower in range(-1, 3):
        do(opened, evaluations.store, BOARD, [ROW._replace(lower=lower)])
        found = evaluations.find_without_waiting(reader, BOARD, ROW.key)
        assert found is not None
        assert found.lower == lower


def test_the_reader_never_waits_and_never_writes(reader: NonBlockingReader) -> None:
    wait = reader.read(lambda driver: driver.execute("PRAGMA busy_timeout").fetchone())
    assert wait == (0,)
    with pytest.raises(Exception, match="read-only"):
        reader.read(lambda driver: driver.execute("DELETE FROM evaluations"))


def test_a_locked_file_is_an_error(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        with Database.open(str(path)) as database:
            reader = database.nonblocking_reader()
            assert reader is not None
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(BusyError, match="in use"):
                evaluations.find_without_waiting(reader, BOARD, ROW.key)
            other.execute("ROLLBACK")
            assert evaluations.find_without_waiting(reader, BOARD, ROW.key) is not None
            reader.close()


def test_a_missing_table_is_an_error(path: Path, reader: NonBlockingReader) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DROP TABLE evaluations")
    with pytest.raises(CorruptError, match="damaged"):
        evaluations.find_without_waiting(reader, BOARD, ROW.key)


def test_the_reader_reads_a_read_only_file(path: Path) -> None:
    with Database.open(f"sqlite:///{path}?mode=ro") as database:
        reader = database.nonblocking_reader()
        assert reader is not None
        assert evaluations.find_without_waiting(reader, BOARD, ROW.key) is not None
        reader.close()
