"""Database errors: each says what failed and where."""

import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import bindparam, text

from db.checking import check
from db.database import Database
from db.errors import (
    BusyError,
    CorruptError,
    DiskFullError,
    MissingDatabaseError,
    NotADatabaseError,
    ReadOnlyError,
    RefusedValueError,
    StorageError,
    UnreachableError,
)
from db.evaluations import count, store, stream
from db.records.evaluations import EvaluationFilter
from tests.support.running.databases import (
    BOARD,
    ask,
    do,
    execute,
    file_size_limit,
    on_postgresql,
    row,
    unprivileged,
)

PAGE = 4096
EVERYTHING = EvaluationFilter(board=BOARD)


def fill(path: Path, rows: int = 2_000) -> None:
    with Database.open(str(path)) as database, database.write() as session:
        store(session, BOARD, [row(key) for key in range(rows)])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no/c4.db", "there is no directory {}/no"),
        (".", "{} is a directory"),
        ("file/c4.db", "file"),
        ("x" * 300, "cannot open"),
    ],
)
def test_a_place_without_room_for_a_file_is_reported(
    tmp_path: Path, path: str, message: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnreachableError, match=message.format(tmp_path)):
        Database.open(str(tmp_path / path))


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(MissingDatabaseError, match=r"there is no database .*c4 db init"):
        Database.open(str(tmp_path / "c4.db"), create=False)
    with pytest.raises(MissingDatabaseError):
        Database.upgrade(str(tmp_path / "c4.db"))
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_not_initialised(empty_url: str, tmp_path: Path) -> None:
    (tmp_path / "c4.db").touch()
    with pytest.raises(MissingDatabaseError, match="c4 db init"):
        Database.open(empty_url, create=False)
    with Database.open(empty_url) as database:
        assert database.created


def test_a_missing_server_is_reported() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # taken, but without a listener
        port = unused.getsockname()[1]
        url = f"postgresql://me:secret@127.0.0.1:{port}/c4"
        with pytest.raises(UnreachableError, match=r"me:\*\*\*@127.0.0.1.*refused") as caught:
            Database.open(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@on_postgresql
def test_a_missing_database_is_reported(rows_url: str) -> None:
    with pytest.raises(UnreachableError, match=r'database "nowhere" does not exist'):
        Database.open(rows_url.rpartition("/")[0] + "/nowhere")


@on_postgresql
@pytest.mark.parametrize(
    ("statement", "error", "message"),
    [
        (
            "SET TRANSACTION READ ONLY; DELETE FROM evaluations",
            ReadOnlyError,
            "read-only transaction",
        ),
        ("SELECT 1 / 0", RefusedValueError, "division by zero"),
        ("SELECT * FROM nothing", CorruptError, "has lost a table"),
    ],
)
def test_errors_of_a_server_are_reported(
    database: Database, statement: str, error: type[StorageError], message: str
) -> None:
    with pytest.raises(error, match=message):
        execute(database, statement)


@on_postgresql
@pytest.mark.parametrize("value", [object(), "NUL \0", range(70_000)])
def test_unsendable_values_are_not_an_outage(database: Database, value: object) -> None:
    values = list(value) if isinstance(value, range) else [value]
    query = text("SELECT 1 WHERE 'a' IN :values").bindparams(
        bindparam("values", values, expanding=True)
    )
    with pytest.raises(StorageError) as caught:
        ask(database, lambda session: session.execute(query))
    assert type(caught.value) is RefusedValueError


@pytest.mark.parametrize("content", [b"x", b"no database\n" * 500, b"SQLite format 3"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c4.db"
    path.write_bytes(content)
    with pytest.raises(NotADatabaseError, match=f"{path} is not an SQLite database"):
        Database.open(str(path))
    assert path.read_bytes() == content


def test_a_device_is_refused() -> None:
    with pytest.raises(StorageError, match="/dev/full"):
        Database.open("/dev/full")


def test_damage_may_show_later(sqlite_path: Path) -> None:
    fill(sqlite_path)
    with sqlite_path.open("r+b") as file:
        file.seek(40 * PAGE)
        file.write(b"\xff" * (sqlite_path.stat().st_size - 45 * PAGE))
    with Database.open(str(sqlite_path)) as database:
        with pytest.raises(CorruptError, match=r"c4\.db is damaged: database disk"):
            ask(database, lambda session: list(stream(session, EVERYTHING)))
        assert {problem.kind for problem in check(database)} == {"damage"}


def test_a_limit_on_file_sizes_is_reported(sqlite_path: Path) -> None:
    fill(sqlite_path, 100)
    with Database.open(str(sqlite_path)) as database:
        with (
            file_size_limit(200_000),
            pytest.raises(DiskFullError, match=r"cannot write .*: no room"),
        ):
            store_many(database)
        store_many(database)
    with closing(sqlite3.connect(sqlite_path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("size", [0, 8 * PAGE])
def test_a_database_may_be_created_later(tmp_path: Path, size: int) -> None:
    path = tmp_path / "c4.db"
    with file_size_limit(size), pytest.raises(DiskFullError):
        Database.open(str(path))
    with Database.open(str(path)) as database:
        assert database.created
        store_many(database)


def test_creating_a_database_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c4.db"
    program = (
        "import os; from db import schema; from db.database import Database\n"
        "migrate = schema.migrate\n"
        "def die(connection): migrate(connection); os._exit(9)\n"
        f"schema.migrate = die; Database.open({str(path)!r})"
    )
    root = Path(__file__).parents[3]
    died = subprocess.run([sys.executable, "-c", program], check=False, cwd=root)
    assert died.returncode == 9
    with pytest.raises(MissingDatabaseError):
        Database.open(str(path), create=False)
    with Database.open(str(path)) as database:
        assert database.created


def store_many(database: Database) -> None:
    do(database, store, BOARD, [row(key) for key in range(5_000)])


def test_missing_permissions_are_reported(sqlite_path: Path) -> None:
    # The other user may have no permission to read this checkout's migrations.
    fill(sqlite_path, 10)
    content = sqlite_path.read_bytes()
    with unprivileged() as directory:
        path = directory / "c4.db"
        directory.chmod(0o555)
        with pytest.raises(ReadOnlyError, match=f"no permission to write {directory}"):
            Database.open(str(path))
        directory.chmod(0o755)
        path.write_bytes(content)
        path.chmod(0o444)
        with Database.open(str(path)) as database:
            assert ask(database, count, EVERYTHING) == 10
            with pytest.raises(ReadOnlyError, match=f"cannot write {path}: it is read-only"):
                store_many(database)
        path.chmod(0)
        with pytest.raises(UnreachableError, match=f"no permission to read {path}"):
            Database.open(str(path))


def test_a_writer_gives_up_if_another_never_ends(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.engine.BUSY_SECONDS", 0.1)
    monkeypatch.setattr("db.engine._POLL_SECONDS", 0.01)
    with (
        closing(sqlite3.connect(sqlite_path, isolation_level=None)) as other,
        Database.open(str(sqlite_path)) as database,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match=f"{sqlite_path} has been in use by other writers"):
            store_many(database)
        other.execute("ROLLBACK")
        store_many(database)
