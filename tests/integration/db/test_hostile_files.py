"""Untrusted files are refused when they are opened, quickly and with a clear message."""

import os
import re
import shutil
import signal
import sqlite3
import struct
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from db.database import Database, Session
from db.errors import CorruptError, NotADatabaseError
from db.evaluations import store
from db.files import _MARK
from tests.support.running.databases import BOARD, ask, do, make_job, row

Change = Callable[[sqlite3.Connection], object]

BOMB = "hex(zeroblob(30000000))"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of a sound file, as it comes from another machine."""
    made = tmp_path / "made.db"
    with Database.open(str(made)) as database:
        make_job(database)
        do(database, store, BOARD, [row(7, scores=(1, 0, 0, 0, 0, 0, 0))])
    received = tmp_path / "received.db"
    shutil.copyfile(made, received)
    return received


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)


def redefine(path: Path, name: str, old: str, new: str) -> None:
    """Change a part of a definition in the schema."""
    with closing(sqlite3.connect(path)) as connection, connection:
        query = "SELECT sql FROM sqlite_schema WHERE name = ?"
        ((made,),) = connection.execute(query, (name,)).fetchall()
        assert old in made
        connection.execute("PRAGMA writable_schema = ON")
        changed = made.replace(old, new, 1)
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (changed, name))


ENDLESS = (
    "WITH RECURSIVE g(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM g) "
    "SELECT v AS version_num FROM g WHERE v < 0"
)


def endless(name: str) -> str:
    return f"CREATE VIEW {name} AS {ENDLESS}"


def test_a_sound_file_is_opened_and_marked(path: Path) -> None:
    for _ in range(2):
        Database.open(str(path)).close()
    assert os.getxattr(path, _MARK) == b"1"


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("CREATE TRIGGER trap AFTER INSERT ON jobs BEGIN SELECT 1; END", "trap"),
        ("CREATE TABLE other (x)", "other"),
        (f"CREATE INDEX other ON jobs ({BOMB})", "other"),
        (f"CREATE INDEX other ON jobs (id) WHERE {BOMB} = ''", "other"),
        (endless("other"), "other"),
        ("ALTER TABLE jobs ADD COLUMN other INTEGER", None),
        (f"ALTER TABLE jobs ADD COLUMN other AS ({BOMB})", None),
        ("DROP VIEW c4_jobs", None),
        ("DROP INDEX ix_jobs_state_priority", None),
    ],
)
def test_other_parts_of_a_schema_are_refused(path: Path, statement: str, name: str | None) -> None:
    change(path, statement)
    shown = "a definition was changed" if name is None else f"for example '{name}'"
    with pytest.raises(NotADatabaseError, match=re.escape(shown)):
        Database.open(str(path))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("jobs", "label TEXT", f"label TEXT GENERATED ALWAYS AS ({BOMB}) VIRTUAL"),
        ("evaluations", "CHECK (lower <= upper)", f"CHECK (length({BOMB}) > 0)"),
        ("games", "final_key_high BIGINT DEFAULT 0", f"final_key_high BIGINT DEFAULT ({BOMB})"),
        ("alembic_version", "version_num VARCHAR(32) NOT NULL", f"version_num AS ({BOMB})"),
    ],
)
def test_computed_values_are_refused(path: Path, name: str, old: str, new: str) -> None:
    redefine(path, name, old, new)
    with pytest.raises((NotADatabaseError, CorruptError)):
        Database.open(str(path))


@pytest.mark.parametrize("table", ["jobs", "alembic_version"])
def test_a_view_in_place_of_a_table_is_refused(path: Path, table: str) -> None:
    change(path, f"ALTER TABLE {table} RENAME TO hidden", endless(table))
    with pytest.raises(NotADatabaseError):
        Database.open(str(path))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE jobs SET label = x'00'",
        "UPDATE jobs SET label = hex(zeroblob(1000000))",
        "UPDATE jobs SET created_at = 'now'",
        "UPDATE evaluations SET nodes = 'many'",
        "UPDATE evaluations SET scores = 'text'",
    ],
)
def test_values_of_wrong_types_are_refused(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(CorruptError, match="wrong type or is too large"):
        Database.open(str(path))


def test_a_damaged_page_is_refused(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:4104] = b"\xff" * 8
    path.write_bytes(content)
    with pytest.raises(CorruptError, match="damaged"):
        Database.open(str(path))


def test_statistics_are_accepted(path: Path) -> None:
    change(path, "ANALYZE")
    Database.open(str(path)).close()


def journal(page: int) -> bytes:
    """A journal of 2**32 - 1 pages."""
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + struct.pack(">5I", 0, 0, 0xFFFFFFFF, 512, page)
    return header.ljust(512, b"\0")


@pytest.mark.parametrize("page", [0, 512, 4096, 65_536])
def test_a_journal_does_not_make_a_file_of_terabytes(path: Path, page: int) -> None:
    Path(f"{path}-journal").write_bytes(journal(page))
    size = path.stat().st_size
    with pytest.raises(NotADatabaseError, match="larger than both files"):
        Database.open(str(path))
    assert path.stat().st_size == size


def test_a_signal_ends_a_running_statement(path: Path) -> None:
    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    def run(session: Session) -> None:
        begun.set()
        session.execute(text(ENDLESS)).all()

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with Database.open(str(path)) as database:
        with pytest.raises(KeyboardInterrupt):
            ask(database, run)
        thread.join()
        make_job(database)
