"""Reading at once or not at all."""

import sqlite3
from pathlib import Path

import pytest

from c4core.notation import BoardSize
from db import evaluations
from db.database import Database
from db.errors import BusyError, CorruptError
from db.records.evaluations import StoredEvaluation

BOARD = BoardSize(5, 4)
ROW = StoredEvaluation(7, 5, 4, 3, -2, 4, 10, 1)
LARGEST = ROW._replace(key=2**64 - 1)


@pytest.fixture
def path(sqlite_path: Path) -> Path:
    """A file with two rows."""
    with Database.open(str(sqlite_path)) as database, database.write() as session:
        evaluations.store(session, BOARD, [ROW, LARGEST])
    return sqlite_path


def test_a_server_is_always_waited_for(database: Database) -> None:
    reader = database.at_once()
    assert (reader is None) == (database.dialect == "postgresql")
    if reader is not None:
        reader.close()


def test_finds_what_a_session_finds(path: Path) -> None:
    with Database.open(str(path)) as database:
        reader = database.at_once()
        assert reader is not None
        with database.read() as session:
            for row in (ROW, LARGEST):
                found = evaluations.find_at_once(reader, BOARD, row.key)
                assert found is not None
                assert found == evaluations.find(session, BOARD, row.key)
        assert evaluations.find_at_once(reader, BOARD, 8) is None
        assert evaluations.find_at_once(reader, BoardSize(7, 6), 7) is None
        reader.close()


def test_sees_each_commit_and_holds_nobody_up(path: Path) -> None:
    with Database.open(str(path)) as database:
        reader = database.at_once()
        assert reader is not None
        for lower in range(-1, 3):
            with database.write() as session:
                evaluations.store(session, BOARD, [ROW._replace(lower=lower)])
            found = evaluations.find_at_once(reader, BOARD, ROW.key)
            assert found is not None
            assert found.lower == lower
        reader.close()


def test_never_waits_and_never_writes(path: Path) -> None:
    with Database.open(str(path)) as database:
        reader = database.at_once()
        assert reader is not None
        wait = reader.read(lambda driver: driver.execute("PRAGMA busy_timeout").fetchone())
        assert wait == (0,)
        with pytest.raises(Exception, match="read-only"):
            reader.read(lambda driver: driver.execute("DELETE FROM evaluations"))
        reader.close()


def test_a_locked_file_is_an_error(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")
    with Database.open(str(path)) as database:
        reader = database.at_once()
        assert reader is not None
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BusyError, match="in use"):
            evaluations.find_at_once(reader, BOARD, ROW.key)
        other.execute("ROLLBACK")
        assert evaluations.find_at_once(reader, BOARD, ROW.key) is not None
        reader.close()
    other.close()


def test_a_lost_table_is_an_error(path: Path) -> None:
    with Database.open(str(path)) as database:
        reader = database.at_once()
        assert reader is not None
        with sqlite3.connect(path) as other:
            other.execute("DROP TABLE evaluations")
        other.close()
        with pytest.raises(CorruptError, match="damaged"):
            evaluations.find_at_once(reader, BOARD, ROW.key)
        reader.close()


def test_reads_a_file_that_is_only_read(path: Path) -> None:
    with Database.open(f"sqlite:///{path}?mode=ro") as database:
        reader = database.at_once()
        assert reader is not None
        assert evaluations.find_at_once(reader, BOARD, ROW.key) is not None
        reader.close()
