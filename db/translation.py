"""The translation of drivers' errors into the project's own; only this module knows their codes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from db.engine import LARGEST_VALUE
from db.errors import (
    BusyError,
    CorruptError,
    DamagedValueError,
    DiskFullError,
    NotADatabaseError,
    ReadOnlyError,
    RefusedValueError,
    StorageError,
    UnreachableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_SQLITE: Final[dict[int, tuple[type[StorageError], str]]] = {
    sqlite3.SQLITE_PERM: (ReadOnlyError, "no permission to write {place}"),
    sqlite3.SQLITE_BUSY: (BusyError, "{place} is in use by other writers for too long"),
    sqlite3.SQLITE_LOCKED: (BusyError, "{place} is in use by other writers for too long"),
    sqlite3.SQLITE_READONLY: (ReadOnlyError, "cannot write {place}: it is read-only"),
    sqlite3.SQLITE_CORRUPT: (CorruptError, "{place} is damaged: {reason}"),
    sqlite3.SQLITE_FULL: (DiskFullError, "cannot write {place}: the disk is full"),
    sqlite3.SQLITE_TOOBIG: (
        CorruptError,
        "{place} is damaged: a value in it is larger than all that c4 stores",
    ),
    sqlite3.SQLITE_CONSTRAINT: (RefusedValueError, "{place}: {reason}"),
    sqlite3.SQLITE_MISMATCH: (RefusedValueError, "{place}: {reason}"),
    sqlite3.SQLITE_CANTOPEN: (
        UnreachableError,
        "cannot open {place}: file or directory not accessible, or too many open files",
    ),
    sqlite3.SQLITE_NOTADB: (NotADatabaseError, "{place} is not an SQLite database"),
}
"""By primary result code."""

_INTERRUPTED: Final = (
    "cannot open {place}: its latest change was interrupted; to undo it, copy it and "
    "{place}-journal to a directory that can be written"
)

_SQLITE_IO: Final[dict[int, tuple[type[StorageError], str]]] = {
    # A full disk has a code of its own (SQLITE_FULL), except when the shared-memory file grows. A
    # failed write has another reason: a quota, a limit on file sizes, or a broken disk.
    sqlite3.SQLITE_IOERR_SHMSIZE: (DiskFullError, "cannot write {place}: the disk is full"),
    sqlite3.SQLITE_IOERR_WRITE: (
        DiskFullError,
        "cannot write {place}: no room (a quota or a limit on file sizes), or a broken disk",
    ),
    sqlite3.SQLITE_READONLY_ROLLBACK: (ReadOnlyError, _INTERRUPTED),
}
"""By extended result code; they are checked first."""

_TOO_LARGE: Final = (
    f"a value is too large to be stored (more than {LARGEST_VALUE >> 20} MiB), or the row that it "
    "belongs to is damaged"
)

_WAL_LEFT: Final = (
    "cannot open {place}: its latest changes are in {place}-wal, and to read those SQLite must be "
    "able to write beside it: copy both to a directory where it can"
)

_NO_PREPARED: Final = (
    "a connection pooler before {place} does not keep prepared statements: {reason}; "
    "add ?prepare_threshold=0 to the URL"
)

_POSTGRESQL: Final[dict[str, tuple[type[StorageError], str]]] = {
    "22": (RefusedValueError, "{place}: {reason}"),
    "23": (RefusedValueError, "{place}: {reason}"),
    "54": (RefusedValueError, "{place}: {reason}"),
    "08": (UnreachableError, "lost the connection to {place}: {reason}"),
    "25P03": (UnreachableError, "lost the connection to {place}: {reason}"),
    "25P04": (UnreachableError, "lost the connection to {place}: {reason}"),
    "26000": (UnreachableError, _NO_PREPARED),
    "42P05": (UnreachableError, _NO_PREPARED),
    "25006": (ReadOnlyError, "cannot write {place}: {reason}"),
    "28": (UnreachableError, "cannot log in to {place}: {reason}"),
    "3D000": (UnreachableError, "cannot reach {place}: {reason}"),
    "40": (BusyError, "{place} is in use by other writers: {reason}"),
    "42501": (ReadOnlyError, "no permission in {place}: {reason}"),
    "42P01": (CorruptError, "{place} has lost a table: {reason}"),
    "42703": (CorruptError, "{place} has lost a column: {reason}"),
    "53100": (DiskFullError, "cannot write {place}: the server's disk is full"),
    "53300": (UnreachableError, "{place} takes no more connections: {reason}"),
    "53": (UnreachableError, "{place} lacks resources: {reason}"),
    "55": (BusyError, "{place} is in use by other writers: {reason}"),
    "57P": (UnreachableError, "lost the connection to {place}: {reason}"),
    "57": (UnreachableError, "{place} has not answered: {reason}"),
    "58030": (CorruptError, "{place} cannot read its disk: {reason}"),
    "58": (UnreachableError, "{place} has not answered: {reason}"),
    "XX001": (CorruptError, "{place} is damaged: {reason}"),
    "XX002": (CorruptError, "{place} is damaged: {reason}"),
}
"""By SQLSTATE or its beginning."""

_CLIENT_OUTAGES: Final = frozenset({"OperationalError", "InterfaceError"})
"""Errors of the PostgreSQL client itself that may mean that there is no connection."""


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise storage errors instead of the drivers' own.

    Args:
        place: how messages call the database; holds no password.
    """
    try:
        yield
    except Exception as error:
        known = translate(error, place)
        if known is None:
            raise
        raise known from error


def translate(error: BaseException, place: str) -> StorageError | None:
    """The storage error for an error of SQLAlchemy or a driver; None for other errors.

    Args:
        error: what was raised.
        place: how messages call the database; holds no password.
    """
    if isinstance(error, PoolTimeoutError):
        return BusyError(f"no free connection to {place}")
    cause = error.orig if isinstance(error, DBAPIError) else error
    # A statement that the server has refused, over a connection that still works.
    is_refused = (
        isinstance(error, DBAPIError)
        and error.statement is not None
        and not error.connection_invalidated
    )
    if _is_too_large_to_store(error):
        return RefusedValueError(f"{place}: {_TOO_LARGE}")
    if isinstance(cause, sqlite3.Error):
        return _translate_sqlite(cause, place)
    # psycopg is not imported if only SQLite is used. Its errors have this attribute.
    if cause is not None and hasattr(cause, "sqlstate"):
        return _translate_postgresql(cause, place, is_refused=is_refused)
    return None


def _is_too_large_to_store(error: BaseException) -> bool:
    """Whether SQLite has refused a value for its size, and the statement's own values may be it."""
    if not isinstance(error, DBAPIError) or not isinstance(error.orig, sqlite3.Error):
        return False
    code: int = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code != sqlite3.SQLITE_TOOBIG or error.statement is None:
        return False
    if not error.statement.lstrip().upper().startswith("SELECT"):
        return True
    given = error.params.values() if isinstance(error.params, Mapping) else error.params or ()
    # A letter has up to four bytes.
    return any(
        isinstance(value, str | bytes) and len(value) >= LARGEST_VALUE // 4 for value in given
    )


def _translate_sqlite(error: sqlite3.Error, place: str) -> StorageError | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    reason = str(error)
    if code is None and reason.startswith("Could not decode to UTF-8"):
        return DamagedValueError(f"{place} is damaged: a text is not UTF-8")
    if code is None:  # a wrong use of the driver: a bug of this program
        return None
    kind, message = _SQLITE_IO.get(code) or _SQLITE.get(
        code & 0xFF, (StorageError, "{place}: {reason}")
    )
    if code & 0xFF == sqlite3.SQLITE_ERROR and reason.startswith("no such"):
        kind, message = CorruptError, "{place} is damaged: {reason}"
    directory = Path(place).parent
    if (
        code & 0xFF == sqlite3.SQLITE_CANTOPEN
        and directory.is_dir()
        and not os.access(directory, os.W_OK)
    ):
        kind, message = ReadOnlyError, _WAL_LEFT
    return kind(message.format(place=place, reason=reason))


def _translate_postgresql(error: BaseException, place: str, *, is_refused: bool) -> StorageError:
    state: str | None = getattr(error, "sqlstate", None)
    reason = _first_line(error)
    if state is None:
        # The error is the client's: it could not connect, or lost its connection; or a value of the
        # statement cannot be sent, and trying again does not help.
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if is_refused or not kinds & _CLIENT_OUTAGES:
            return RefusedValueError(f"{place}: {reason}")
        return UnreachableError(f"cannot reach {place}: {reason}")
    for length in (5, 3, 2):
        if state[:length] in _POSTGRESQL:
            kind, message = _POSTGRESQL[state[:length]]
            return kind(message.format(place=place, reason=reason))
    return StorageError(f"{place}: {reason}")


def _first_line(error: BaseException) -> str:
    """The reason, without the driver's preamble and the advice that follows it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].removeprefix("connection failed: ").strip()
