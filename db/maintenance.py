"""Statistics and backups of a database."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import Enum, String, func, select, text, type_coerce
from sqlalchemy.exc import OperationalError

from c4core.files import atomic_file
from db.database import Database
from db.engine import translated
from db.errors import UnreachableError
from db.evaluations.rows import DriverQuery
from db.evaluations.searching import boards, summary
from db.files import SUFFIXES, beside
from db.migrations import HEAD
from db.models import Base
from db.sql import dialect_of, driver_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Table
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.evaluations import PlySummary

_COPY_ROWS: Final = 10_000
"""Number of rows of a server's table that are copied at a time."""

_BACKUP_PAGES: Final = 4_096
"""Number of pages (of 4 KiB) copied in one step; Ctrl-C works between two steps."""

_SQLITE_SIZE: Final = text(
    "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
)
_SQLITE_TABLE_SIZES: Final = text(
    "SELECT tbl_name, SUM(pgsize) FROM dbstat JOIN sqlite_schema USING (name) "
    "WHERE aggregate = TRUE GROUP BY tbl_name"
)
_POSTGRESQL_SIZE: Final = text("SELECT pg_database_size(current_database())")
_POSTGRESQL_TABLE_SIZES: Final = text(
    "SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables "
    "WHERE schemaname = current_schema()"
)


class TableStats(NamedTuple):
    """The size of a table."""

    name: str
    rows: int
    bytes: int | None
    """The size on disk, indexes included; None if the database cannot report it."""


@dataclass(frozen=True, slots=True)
class DatabaseStats:
    """The contents and size of a database."""

    url: str
    """The URL, password masked."""
    dialect: str
    revision: str
    """The revision of the schema."""
    bytes: int
    """The size of the database on disk."""
    tables: tuple[TableStats, ...]
    boards: dict[BoardSize, tuple[PlySummary, ...]]
    """Evaluations of every board, ply by ply."""


def stats(database: Database) -> DatabaseStats:
    """Measure the contents and the size of a database. Counts every row."""
    with database.read() as session:
        sizes = _table_sizes(session)
        size = session.scalar(_SQLITE_SIZE if database.dialect == "sqlite" else _POSTGRESQL_SIZE)
        tables = [
            TableStats(
                table.name,
                session.scalar(select(func.count()).select_from(table)) or 0,
                sizes.get(table.name),
            )
            for table in Base.metadata.sorted_tables
        ]
        return DatabaseStats(
            url=database.url,
            dialect=database.dialect,
            revision=HEAD,
            bytes=int(size or 0),
            tables=tuple(tables),
            boards={board: tuple(summary(session, board)) for board in boards(session)},
        )


def backup(database: Database, path: Path) -> int:
    """Write a copy into a new SQLite file; other processes may use the database meanwhile.

    The copy is a snapshot. SQLite copies pages, damage included; from PostgreSQL every row is
    copied, so that the backup opens without a server. The file gets its name when it is complete
    and on the disk.

    Returns:
        The size of the backup in bytes.

    Raises:
        FileExistsError: the file, or a file that SQLite would read as part of the backup, exists.
            It stays as it is.
        StorageError: the file cannot be written, or the database cannot be read.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists: choose another name for the backup")
    for side in (beside(path, suffix) for suffix in SUFFIXES):
        if os.path.lexists(side):
            raise FileExistsError(f"{side} exists: SQLite would read it as part of the backup")
    copy = _copy_pages if database.dialect == "sqlite" else _copy_rows
    try:
        with (
            atomic_file(path) as unfinished,
            database.read() as session,
            translated(str(path)),
        ):
            copy(session, unfinished)
    except OSError as error:
        raise UnreachableError(f"cannot write {path}: {error.strerror}") from None
    return path.stat().st_size


def _table_sizes(session: Session) -> dict[str, int]:
    if dialect_of(session) != "sqlite":
        return {name: int(size) for name, size in session.execute(_POSTGRESQL_TABLE_SIZES)}
    try:
        return {name: int(size) for name, size in session.execute(_SQLITE_TABLE_SIZES)}
    except OperationalError:  # an SQLite that was built without dbstat
        return {}


def _copy_pages(session: Session, path: Path) -> None:
    # The transaction gets its snapshot with the first read. The backup runs in it, so it does not
    # restart when another process writes.
    session.execute(_SQLITE_SIZE)
    source: Any = session.connection().connection.driver_connection
    with closing(sqlite3.connect(path)) as target:
        source.backup(target, pages=_BACKUP_PAGES)


def _copy_rows(session: Session, path: Path) -> None:
    """Copy every row in its stored form, in the order of the primary key."""
    try:
        with Database.open(str(path)) as target:
            for table in Base.metadata.sorted_tables:
                # Creating an index of all rows takes less time than adding each row to it.
                with target.write() as copy:
                    for index in table.indexes:
                        index.drop(copy.connection())
                for rows in _stored_rows(session, table):
                    target.run(partial(_insert, table, rows))
                with target.write() as copy:
                    for index in table.indexes:
                        index.create(copy.connection())
    except BaseException:
        for suffix in SUFFIXES:  # on a full disk SQLite leaves its files
            beside(path, suffix).unlink(missing_ok=True)
        raise


def _stored_rows(session: Session, table: Table) -> Iterator[Sequence[tuple[Any, ...]]]:
    stored = [
        type_coerce(column, String() if isinstance(column.type, Enum) else driver_type(column))
        for column in table.columns
    ]
    query = DriverQuery(select(*stored).order_by(*table.primary_key), "postgresql")
    return query.batches(session.connection(), _COPY_ROWS)


def _insert(table: Table, rows: Sequence[tuple[Any, ...]], session: Session) -> None:
    names = [column.name for column in table.columns]
    places = ", ".join("?" * len(names))
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({places})"  # noqa: S608
    session.connection().exec_driver_sql(statement, list(rows))
