"""SQLite connections: waiting, reads without waiting, and transactions that are cut off."""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from c4core.notation import BoardSize
from db import engine, evaluations
from db.database import Database, NonBlockingReader
from db.engine import patiently
from db.errors import BusyError, CorruptError
from db.records.evaluations import StoredEvaluation
from tests.support.running.databases import ask, do, execute, on_postgresql

BOARD = BoardSize(5, 4)
ROW = StoredEvaluation(7, 5, 4, 3, -2, 4, 10, 1)
LARGEST = ROW._replace(key=2**64 - 1)


@pytest.fixture
def path(sqlite_path: Path) -> Path:
    """A file with two rows."""
    with Database.open(str(sqlite_path)) as database:
        do(database, evaluations.store, BOARD, [ROW, LARGEST])
    return sqlite_path


@contextlib.contextmanager
def nonblocking(url: str) -> Iterator[tuple[Database, NonBlockingReader]]:
    with Database.open(url) as database:
        reader = database.nonblocking_reader()
        assert reader is not None
        with closing(reader):
            yield database, reader


def find(
    reader: NonBlockingReader, key: int = ROW.key, board: BoardSize = BOARD
) -> StoredEvaluation | None:
    return evaluations.find_without_waiting(reader, board, key)


@on_postgresql
def test_servers_have_no_reader_that_does_not_wait(database: Database) -> None:
    assert database.nonblocking_reader() is None


@pytest.mark.parametrize("options", ["", "?mode=ro"])
def test_the_reader_agrees_with_a_session(path: Path, options: str) -> None:
    with nonblocking(f"sqlite:///{path}{options}") as (database, reader):
        for key in (ROW.key, LARGEST.key):
            found = find(reader, key)
            assert found is not None
            assert found == ask(database, evaluations.find, BOARD, key)
        assert find(reader, 8) is None
        assert find(reader, board=BoardSize(7, 6)) is None


def test_the_reader_never_waits_writes_or_blocks_a_writer(path: Path) -> None:
    with nonblocking(str(path)) as (database, reader):
        for lower in range(-1, 3):
            do(database, evaluations.store, BOARD, [ROW._replace(lower=lower)])
            found = find(reader)
            assert found is not None
            assert found.lower == lower
        wait = reader.read(lambda driver: driver.execute("PRAGMA busy_timeout").fetchone())
        assert wait == (0,)
        with pytest.raises(Exception, match="read-only"):
            reader.read(lambda driver: driver.execute("DELETE FROM evaluations"))
        execute(database, "DROP TABLE evaluations")
        with pytest.raises(CorruptError, match="damaged"):
            find(reader)


def connect(path: Path) -> sqlite3.Connection:
    """A connection that never waits, in autocommit mode."""
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


def test_a_locked_file_is_an_error(path: Path) -> None:
    with closing(connect(path)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        with nonblocking(str(path)) as (_, reader):
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(BusyError, match="in use"):
                find(reader)
            other.execute("ROLLBACK")
            assert find(reader) is not None


def test_a_refused_statement_is_tried_again(tmp_path: Path) -> None:
    holder, other = connect(tmp_path / "x.db"), connect(tmp_path / "x.db")
    holder.execute("BEGIN EXCLUSIVE")
    refusals: list[int] = []

    def switch() -> None:
        try:
            other.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            refusals.append(1)
            if len(refusals) == 2:
                threading.Thread(target=holder.rollback).start()
            raise

    patiently(switch)
    assert len(refusals) >= 2
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    holder.close()
    other.close()


def test_other_errors_are_raised_at_once(tmp_path: Path) -> None:
    tried: list[int] = []

    def wrong() -> None:
        tried.append(1)
        connection.execute("SELECT 1 FROM nowhere")

    with (
        closing(connect(tmp_path / "x.db")) as connection,
        pytest.raises(sqlite3.OperationalError, match="nowhere"),
    ):
        patiently(wrong)
    assert tried == [1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_reader_blocks_no_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """Ctrl-C leaves no open transaction that would block others."""
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.2)
    url = f"sqlite:///{tmp_path / 'c4.db'}"
    with Database.open(url) as database, Database.open(url) as other:
        left_open = []
        with contextlib.suppress(error), database.read() as session:
            left_open.append(session.execute(text("SELECT * FROM sqlite_master")).cursor)
            left_open[0].fetchone()
            raise error
        for each in (other, database, database):
            execute(each, "CREATE TABLE IF NOT EXISTS x (y)")
            execute(each, "INSERT INTO x VALUES (1)")
        assert ask(database, lambda session: session.scalar(text("SELECT count(*) FROM x"))) == 3
