"""Waiting for statements that SQLite refuses at once, and transactions that are cut off."""

import contextlib
import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from db import engine
from db.database import Database
from db.engine import patiently


def connect(path: Path) -> sqlite3.Connection:
    """A connection that never waits, in autocommit mode."""
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


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
    connection = connect(tmp_path / "x.db")
    tried: list[int] = []

    def wrong() -> None:
        tried.append(1)
        connection.execute("SELECT 1 FROM nowhere")

    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        patiently(wrong)
    assert tried == [1]
    connection.close()


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
            each.run(lambda session: session.execute(text("CREATE TABLE IF NOT EXISTS x (y)")))
            each.run(lambda session: session.execute(text("INSERT INTO x VALUES (1)")))
        with database.read() as session:
            assert session.execute(text("SELECT count(*) FROM x")).scalar() == 3
