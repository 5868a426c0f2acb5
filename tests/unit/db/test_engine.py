"""How statements wait that SQLite refuses at once."""

import sqlite3
import threading
from pathlib import Path

import pytest

from db.engine import patiently


def connect(path: Path) -> sqlite3.Connection:
    """A connection that never waits by itself; autocommit."""
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


def test_a_statement_that_is_refused_is_tried_again(tmp_path: Path) -> None:
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


def test_another_fault_is_raised_at_once(tmp_path: Path) -> None:
    connection = connect(tmp_path / "x.db")
    tried: list[int] = []

    def wrong() -> None:
        tried.append(1)
        connection.execute("SELECT 1 FROM nowhere")

    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        patiently(wrong)
    assert tried == [1]
    connection.close()
