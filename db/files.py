"""Open SQLite files: the options that they need, and the guard at the door.

A file may come from an untrusted source. Everything that can be wrong with it is found here, when
it is opened; the rest of the program trusts its database. Opening a file changes nothing but the
database and its side files. Its schema is exactly C4's, and a file that was not made here is sound
and has values of the right types.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from urllib.parse import quote

from db.errors import (
    CorruptError,
    MissingDatabaseError,
    NotADatabaseError,
    ReadOnlyError,
    UnreachableError,
)
from db.urls import IMMUTABLE, MODE, READ_ONLY

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import URL, Column, Connection, Engine

SUFFIXES: Final = ("-journal", "-wal", "-shm")

_SMALLEST_FILE: Final = 512
"""Size of SQLite's smallest page in bytes. SQLite takes some shorter files for empty databases."""

_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")
"""The beginning of a rollback journal, and the end of the name of a super-journal."""

_HEADER: Final = 28
"""Size of a rollback journal's header in bytes."""

_LARGEST_PAGE: Final = 1 << 16

_SCHEMA: Final = "0bad7ef330ed1116005a002dc5d36187c3d6021afcd5c5c596b3501f47ce18df"
"""Digest of :func:`_schema_of` for the newest revision; a change of the schema changes it."""

_VERSION_TABLE: Final = (
    "createtablealembic_version(version_numvarchar(32)notnull,"
    "constraintalembic_version_pkcprimarykey(version_num))"
)

_STATISTICS: Final = frozenset(
    {
        "createtablesqlite_stat1(tbl,idx,stat)",
        "createtablesqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    }
)
"""Tables that ANALYZE adds."""

_MARK: Final = "user.c4.sound"
"""Extended attribute of a file that was made here, or was found to be sound.

Downloads, archives and copies to another file system lose it.
"""

_LONGEST: Final = 1 << 20
_LONGEST_OF_UNITS: Final = 1 << 26
# Maximum size of a value in bytes. C4's largest value is a unit's payload, which keeps the lines of
# its input: by default up to 1,000 lines of up to 64 KB.

_sound: set[tuple[int, int]] = set()
"""Device and inode of the files that this process has found to be sound."""


def with_file_options(url: URL) -> URL:
    """Add the options that an SQLite file needs to its URL; other URLs stay the same.

    To read a database in WAL mode, SQLite creates two files beside it. If the directory cannot be
    written, there are two cases:

    - The ``-wal`` file is missing or empty: all data is in the database's own file. It is opened as
      ``immutable``, without other files and without locks. Other processes must not write to it
      meanwhile.
    - The ``-wal`` file contains the latest transactions. SQLite can read them only if the ``-shm``
      file was left as well.

    If another program has left an unfinished transaction in a ``-journal`` file, it must be rolled
    back before the database can be read. SQLite therefore refuses the database.
    """
    if url.get_backend_name() != "sqlite" or url.database is None:
        return url
    path = Path(os.path.realpath(url.database))
    if not path.exists() or os.access(path.parent, os.W_OK):
        return url
    url = url.update_query_dict({MODE: READ_ONLY})
    if _has_wal(path) or _has_hot_journal(path):
        return url
    return url.update_query_dict({IMMUTABLE: "1"})


def is_read_only(url: URL) -> bool:
    """Whether a database is opened read-only.

    Either the user's URL requires this, or the directory cannot be written.
    """
    return url.get_backend_name() == "sqlite" and MODE in url.query


def file_uri(url: URL) -> str:
    """SQLite's URI of a file, with the URL's options."""
    options = "&".join(f"{name}={value}" for name, value in sorted(url.query.items()))
    return f"file:{quote(os.path.abspath(url.database or ''))}?{options}"  # noqa: PTH100 (as typed)


def check_file(url: URL, *, create: bool) -> None:
    """Raise an error with the reason; SQLite reports only "unable to open database file"."""
    if url.get_backend_name() != "sqlite" or url.database is None:
        return
    path = Path(url.database)
    try:
        if path.is_dir():
            raise UnreachableError(f"{path} is a directory, not a database")
        _check_side_files(path)
        if path.exists():
            if 0 < path.stat().st_size < _SMALLEST_FILE and path.is_file():
                raise NotADatabaseError(f"{path} is not an SQLite database")
            if not os.access(path, os.R_OK):
                raise UnreachableError(f"no permission to read {path}")
            return
        if not path.parent.is_dir():
            raise UnreachableError(f"cannot open {path}: there is no directory {path.parent}")
    except OSError as error:  # a name too long, a loop of links, a closed directory
        raise UnreachableError(f"cannot open {path}: {error.strerror}") from None
    if not create:
        raise MissingDatabaseError(f"there is no database {path}: run `c4 db init`")
    if not os.access(path.parent, os.W_OK):
        raise ReadOnlyError(f"cannot create {path}: no permission to write {path.parent}")


def _check_side_files(path: Path) -> None:
    """Refuse a database that would let SQLite change a file of another name, or fill the disk.

    - A side file that is a link: SQLite would write to, or truncate, the file behind it.
    - A rollback journal that names a super-journal. SQLite writes one for a transaction over
      several files, and deletes the file of this name when it rolls back. C4 writes to one file at
      a time, so none of its journals names one.
    - A rollback journal that makes the database larger than both files together.
    - A database that is a dangling link: it would choose where the new database is created.
    """
    if path.is_symlink() and not path.exists():
        raise NotADatabaseError(f"cannot open {path}: it is a link to a file that does not exist")
    for suffix in SUFFIXES:
        side = beside(path, suffix)
        with suppress(FileNotFoundError):
            found = side.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
                continue
            raise NotADatabaseError(
                f"cannot open {path}: {side} is a link or not a regular file, and SQLite would "
                "change the file behind it: remove it"
            )
    with suppress(FileNotFoundError), beside(path, "-journal").open("rb") as journal:
        fault = _journal_fault(journal, path.stat().st_size)
        if fault is not None:
            raise NotADatabaseError(
                f"cannot open {path}: {path}-journal {fault}; if you trust these files, open them "
                "first with the program that wrote them"
            )


def _journal_fault(journal: BinaryIO, size: int) -> str | None:
    """Describe the harm that a rollback of this journal would do; ``size`` is the database's."""
    header = journal.read(_HEADER)
    if len(header) == _HEADER and header.startswith(_MAGIC):
        pages, page_size = (int.from_bytes(header[at : at + 4], "big") for at in (16, 24))
        if pages * (page_size or _LARGEST_PAGE) > size + journal.seek(0, os.SEEK_END):
            return "would make it larger than both files together"
    end = journal.seek(0, os.SEEK_END)
    journal.seek(max(0, end - len(_MAGIC)))
    if journal.read() == _MAGIC and end > _HEADER:
        return "names another file, which SQLite would delete"
    return None


def _has_wal(path: Path) -> bool:
    """Whether the ``-wal`` file contains transactions that may not be in the database file yet."""
    try:
        return beside(path, "-wal").stat().st_size > 0
    except OSError:
        return False


def _has_hot_journal(path: Path) -> bool:
    """Whether SQLite has to roll back a transaction that was interrupted or is running."""
    try:
        with beside(path, "-journal").open("rb") as journal:
            return journal.read(1) not in {b"", b"\0"}
    except OSError:
        return False


def beside(path: Path, suffix: str) -> Path:
    """The path of a side file; SQLite follows the links of the database's path first."""
    return Path(os.path.realpath(path) + suffix)


def check_version_table(connection: Connection) -> None:
    """Refuse a file whose table of the revision is not Alembic's, so that it can be read."""
    query = "SELECT sql FROM sqlite_schema WHERE name = 'alembic_version'"
    if [_plain(sql) for (sql,) in connection.exec_driver_sql(query)] != [_VERSION_TABLE]:
        raise _refusal(str(connection.engine.url.database), "alembic_version")


def check_opened(engine: Engine, *, is_new: bool) -> None:
    """Check the schema and the content of an opened file with the current revision."""
    if engine.dialect.name != "sqlite":
        return
    path = Path(str(engine.url.database))
    if is_new:
        _mark_as_sound(path)
        return
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        _check_schema(driver, path)
        _check_content(driver, path)


def _check_schema(driver: sqlite3.Connection, path: Path) -> None:
    """Refuse a file whose tables, indexes, views or triggers are not exactly C4's.

    A view or a generated column computes gigabytes from a few bytes, and a trigger or a CHECK
    constraint may never end.
    """
    found = _schema_of(driver)
    if hashlib.sha256(repr(found).encode()).hexdigest() != _SCHEMA:
        from db.models import Base  # noqa: PLC0415 (needed only for the message)

        views = {"c4_positions", "c4_games", "c4_jobs"}
        indexes = {index.name for table in Base.metadata.tables.values() for index in table.indexes}
        known = {*Base.metadata.tables, *indexes, *views, "alembic_version"}
        others = (name for _, name, _, _ in found if not name.startswith("sqlite_"))
        raise _refusal(path, next((name for name in others if name not in known), None))


def _schema_of(driver: sqlite3.Connection) -> list[tuple[str, str, str, str]]:
    """Type, name, table and definition of everything in the schema, in order."""
    rows = driver.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    plain = [(kind, name, table, _plain(sql)) for kind, name, table, sql in rows]
    return sorted(row for row in plain if row[3] not in _STATISTICS)


def _plain(sql: str | None) -> str:
    """A definition without what versions of SQLAlchemy may write differently."""
    return re.sub(r'[\s"]', "", sql or "").lower()


def _refusal(path: Path | str, name: str | None) -> NotADatabaseError:
    example = "a definition was changed" if name is None else f"for example {name!r}"
    return NotADatabaseError(
        f"{path} has other tables, indexes, views or triggers than C4's ({example}): C4 opens only "
        "files that it made; keep your own views in another file"
    )


def _check_content(driver: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that was not made here if it is damaged or has values of wrong types.

    The file is read completely, once: it is marked as sound afterwards.
    """
    file = path.stat()
    if (file.st_dev, file.st_ino) in _sound or _is_marked(path):
        return
    for (line,) in driver.execute("PRAGMA quick_check(1)"):
        if line != "ok":
            raise CorruptError(f"{path} is damaged: {line}")
    from db.models import Base  # noqa: PLC0415 (files that were made here do not need it)

    for table in Base.metadata.sorted_tables:
        longest = _LONGEST_OF_UNITS if table.name == "units" else _LONGEST
        wrong = " OR ".join(_is_wrong(column, longest) for column in table.columns)
        query = f"SELECT 1 FROM {table.name} WHERE {wrong} LIMIT 1"  # noqa: S608 (our names)
        if driver.execute(query).fetchone() is not None:
            raise CorruptError(
                f"{path} is damaged: a value in table {table.name} has the wrong type or is too "
                "large"
            )
    _mark_as_sound(path)


_STORED_AS: Final = {"TEXT": "text", "VARCHAR": "text", "DOUBLE": "real", "BLOB": "blob"}
"""SQLite's types of values by the types of columns; all other columns have integers."""


def _is_wrong(column: Column[Any], longest: int) -> str:
    """The condition that a value has the wrong type or is too large."""
    name = f'"{column.name}"'
    kind = _STORED_AS.get(column.type.compile().partition("(")[0], "integer")
    return f"typeof({name}) NOT IN ('{kind}', 'null') OR length({name}) > {longest}"


def _is_marked(path: Path) -> bool:
    try:
        return bool(os.getxattr(path, _MARK))
    except (AttributeError, OSError):  # a system or a file system without extended attributes
        return False


def _mark_as_sound(path: Path) -> None:
    """Mark a file that was made here."""
    file = path.stat()
    _sound.add((file.st_dev, file.st_ino))
    with suppress(AttributeError, OSError):
        os.setxattr(path, _MARK, b"1")
