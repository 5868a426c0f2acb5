"""Database errors: each says what failed and where."""

import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import bindparam, event, text

from db.database import Database
from db.engine import translated
from db.errors import (
    BusyError,
    CorruptError,
    DiskFullError,
    MissingDatabaseError,
    NotADatabaseError,
    ReadOnlyError,
    RefusedValueError,
    StorageError,
    UnknownSchemeError,
    UnreachableError,
)
from db.evaluations import count, store, stream
from db.maintenance import check
from db.records.evaluations import EvaluationFilter
from tests.support.running.databases import BOARD, ask, do, file_size_limit, row, unprivileged

PAGE = 4096
EVERYTHING = EvaluationFilter(board=BOARD)


def fill(path: Path, rows: int = 2_000) -> None:
    with Database.open(str(path)) as database, database.write() as session:
        store(session, BOARD, [row(key) for key in range(rows)])


class TestPlaces:
    def test_a_missing_directory_is_reported(self, tmp_path: Path) -> None:
        path = tmp_path / "no" / "c4.db"
        with pytest.raises(UnreachableError, match=f"there is no directory {path.parent}"):
            Database.open(str(path))

    def test_a_directory_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UnreachableError, match=f"{tmp_path} is a directory"):
            Database.open(str(tmp_path))

    def test_a_file_in_place_of_a_directory_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(UnreachableError, match="file"):
            Database.open(str(tmp_path / "file" / "c4.db"))

    def test_an_impossible_name_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UnreachableError, match="cannot open"):
            Database.open(str(tmp_path / ("x" * 300)))

    def test_a_missing_file_is_not_created(self, tmp_path: Path) -> None:
        with pytest.raises(MissingDatabaseError, match=r"there is no database .*c4 db init"):
            Database.open(str(tmp_path / "c4.db"), create=False)
        with pytest.raises(MissingDatabaseError):
            Database.upgrade(str(tmp_path / "c4.db"))
        assert list(tmp_path.iterdir()) == []

    def test_an_empty_file_is_not_initialised(self, empty_url: str, tmp_path: Path) -> None:
        (tmp_path / "c4.db").touch()
        with pytest.raises(MissingDatabaseError, match="c4 db init"):
            Database.open(empty_url, create=False)
        with Database.open(empty_url) as database:
            assert database.created

    def test_an_unknown_scheme_is_refused(self) -> None:
        with pytest.raises(UnknownSchemeError, match="unknown database scheme 'oracle'"):
            Database.open("oracle://me:secret@host/c4")


class TestServers:
    def test_a_missing_server_is_reported(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # taken, but without a listener
            port = unused.getsockname()[1]
            url = f"postgresql://me:secret@127.0.0.1:{port}/c4"
            with pytest.raises(UnreachableError, match=r"me:\*\*\*@127.0.0.1.*refused") as caught:
                Database.open(url)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.postgres
    def test_a_missing_database_is_reported(self, postgres_url: str) -> None:
        with pytest.raises(UnreachableError, match=r'database "nowhere" does not exist'):
            Database.open(postgres_url.rpartition("/")[0] + "/nowhere")

    @pytest.mark.postgres
    def test_a_cut_connection_is_reported(self, postgres_url: str) -> None:
        cut = text("SELECT pg_terminate_backend(pg_backend_pid())")
        with Database.open(postgres_url) as database:
            with pytest.raises(UnreachableError, match="lost the connection"):
                run(database, str(cut))
            assert ask(database, count, EVERYTHING) >= 0

    @pytest.mark.postgres
    def test_a_read_only_server_is_reported(self, postgres_url: str) -> None:
        with (
            Database.open(postgres_url) as database,
            pytest.raises(ReadOnlyError, match="read-only transaction"),
        ):
            run(database, "SET TRANSACTION READ ONLY", "DELETE FROM evaluations")

    @pytest.mark.postgres
    def test_other_server_errors_are_reported(self, postgres_url: str) -> None:
        with Database.open(postgres_url) as database:
            with pytest.raises(RefusedValueError, match="division by zero"):
                run(database, "SELECT 1 / 0")
            with pytest.raises(CorruptError, match="has lost a table"):
                run(database, "SELECT * FROM nothing")

    @pytest.mark.postgres
    @pytest.mark.parametrize("value", [object(), "NUL \0", range(70_000)])
    def test_unsendable_values_are_not_an_outage(self, postgres_url: str, value: object) -> None:
        values = list(value) if isinstance(value, range) else [value]
        query = text("SELECT 1 WHERE 'a' IN :values").bindparams(
            bindparam("values", values, expanding=True)
        )
        with Database.open(postgres_url) as database, database.read() as session:
            with pytest.raises(StorageError) as caught, translated("here"):
                session.execute(query)
            assert type(caught.value) is RefusedValueError


def run(database: Database, *statements: str) -> None:
    with database.write() as session:
        for statement in statements:
            session.execute(text(statement))


class TestDamage:
    @pytest.mark.parametrize("content", [b"x", b"no database\n" * 500, b"SQLite format 3"])
    def test_other_files_are_refused(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "c4.db"
        path.write_bytes(content)
        with pytest.raises(NotADatabaseError, match=f"{path} is not an SQLite database"):
            Database.open(str(path))
        assert path.read_bytes() == content

    def test_a_device_is_refused(self) -> None:
        with pytest.raises(StorageError, match="/dev/full"):
            Database.open("/dev/full")

    def test_a_truncated_database_is_reported(self, sqlite_path: Path) -> None:
        fill(sqlite_path)
        with sqlite_path.open("r+b") as file:
            file.truncate(3 * PAGE)
        with pytest.raises(CorruptError, match=f"{sqlite_path} is damaged"):
            look_at_everything(sqlite_path)

    def test_damage_may_show_later(self, sqlite_path: Path) -> None:
        fill(sqlite_path)
        with sqlite_path.open("r+b") as file:
            file.seek(40 * PAGE)
            file.write(b"\xff" * (sqlite_path.stat().st_size - 45 * PAGE))
        with Database.open(str(sqlite_path)):
            pass
        with pytest.raises(CorruptError, match=r"c4\.db is damaged: database disk"):
            look_at_everything(sqlite_path)
        with Database.open(str(sqlite_path)) as database:
            assert {problem.kind for problem in check(database)} == {"damage"}

    def test_a_missing_table_is_reported(self, sqlite_path: Path) -> None:
        with closing(sqlite3.connect(sqlite_path)) as connection:
            connection.execute("DROP TABLE evaluations")
        with pytest.raises(CorruptError, match=r"tables .* are missing"):
            Database.open(str(sqlite_path))


def look_at_everything(path: Path) -> None:
    with Database.open(str(path)) as database, database.read() as session:
        for _ in stream(session, EVERYTHING):
            pass


class TestFullDisk:
    def test_the_transaction_is_rolled_back(self, sqlite_path: Path) -> None:
        fill(sqlite_path, 100)
        with Database.open(str(sqlite_path)) as database:
            event.listen(database._engine, "connect", limit_pages)
            database._engine.dispose()
            with pytest.raises(DiskFullError, match=r"cannot write .*c4\.db: the disk is full"):
                store_many(database)
            assert ask(database, count, EVERYTHING) == 100

    def test_a_limit_on_file_sizes_is_reported(self, sqlite_path: Path) -> None:
        fill(sqlite_path, 100)
        with Database.open(str(sqlite_path)) as database:
            with (
                file_size_limit(200_000),
                pytest.raises(DiskFullError, match=r"cannot write .*: no room"),
            ):
                store_many(database)
            store_many(database)
        with Database.open(str(sqlite_path)) as database:
            assert list(check_pages(database)) == ["ok"]

    @pytest.mark.parametrize("size", [0, 8 * PAGE])
    def test_a_database_may_be_created_later(self, tmp_path: Path, size: int) -> None:
        path = tmp_path / "c4.db"
        with file_size_limit(size), pytest.raises(DiskFullError):
            Database.open(str(path))
        with Database.open(str(path)) as database:
            assert database.created
            store_many(database)

    def test_creating_a_database_is_all_or_nothing(self, tmp_path: Path) -> None:
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


def limit_pages(connection: sqlite3.Connection, record: object) -> None:
    del record
    connection.execute("PRAGMA max_page_count = 40")


def store_many(database: Database) -> None:
    do(database, store, BOARD, [row(key) for key in range(5_000)])


def check_pages(database: Database) -> Iterator[str]:
    with database.read() as session:
        yield from session.scalars(text("PRAGMA integrity_check"))


class TestPermissions:
    @pytest.mark.parametrize(("name", "mode"), [("c4.db", 0o444), (".", 0o555)])
    def test_an_unwritable_file_or_directory_is_reported(self, name: str, mode: int) -> None:
        with unprivileged() as directory:
            path = directory / "c4.db"
            fill(path, 10)
            (directory / name).chmod(mode)
            with Database.open(str(path)) as database:
                assert ask(database, count, EVERYTHING) == 10
                with pytest.raises(ReadOnlyError, match=f"cannot write {path}: it is read-only"):
                    store_many(database)

    def test_an_unwritable_directory_is_reported(self) -> None:
        with unprivileged() as directory:
            path = directory / "c4.db"
            directory.chmod(0o555)
            with pytest.raises(ReadOnlyError, match=f"no permission to write {directory}"):
                Database.open(str(path))

    def test_an_unreadable_file_is_reported(self) -> None:
        with unprivileged() as directory:
            path = directory / "c4.db"
            fill(path, 10)
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
