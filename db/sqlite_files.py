"""The files of an SQLite database: side files, and read-only access.

A database from an untrusted source may include side files. Opening it must change nothing but these
files and the database itself. Therefore the following are refused:

- A side file that is a link: SQLite would write to, or truncate, the file behind it.
- A rollback journal that names a super-journal. SQLite writes one for a transaction over several
  files, and deletes the file of this name when it rolls back. C4 writes to one file at a time, so
  none of its journals names one.
- A database that is a dangling link: it would choose where the new database is created.

To read a database in WAL mode, SQLite creates two files beside it. If the directory cannot be
written, there are two cases:

- The ``-wal`` file is missing or empty: all data is in the database's own file. It is opened as
  ``immutable``, without other files and without locks. Other processes must not write to it
  meanwhile.
- The ``-wal`` file contains the latest transactions. SQLite can read them only if the ``-shm`` file
  was left as well.

If another program has left an unfinished transaction in a ``-journal`` file, it must be rolled back
before the database can be read. SQLite therefore refuses the database.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import quote

from db.errors import MissingDatabaseError, NotADatabaseError, ReadOnlyError, UnreachableError

if TYPE_CHECKING:
    from sqlalchemy import URL

SUFFIXES: Final = ("-journal", "-wal", "-shm")

_SMALLEST_FILE: Final = 512
"""Size of SQLite's smallest page in bytes. SQLite takes some shorter files for empty databases."""

_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")
"""The beginning of a rollback journal, and the end of the name of a super-journal."""

_TAIL: Final = 16
"""Number of bytes after the super-journal's name: its length, its checksum, and the magic."""

_LONGEST_NAME: Final = 4096

MODE: Final = "mode"
READ_ONLY: Final = "ro"
_IMMUTABLE: Final = "immutable"


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
    """Refuse a database that would let SQLite write to a file of another name."""
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
    victim = _super_journal(path)
    if victim is not None:
        raise NotADatabaseError(
            f"cannot open {path}: SQLite would delete {victim!r}, which the file {path}-journal "
            "names; if you trust these files, open them first with the program that wrote them"
        )


def has_wal(path: Path) -> bool:
    """Whether the ``-wal`` file contains transactions that may not be in the database file yet."""
    try:
        return beside(path, "-wal").stat().st_size > 0
    except OSError:
        return False


def has_hot_journal(path: Path) -> bool:
    """Whether SQLite has to roll back a transaction that was interrupted or is running."""
    try:
        with beside(path, "-journal").open("rb") as journal:
            return journal.read(1) not in {b"", b"\0"}
    except OSError:
        return False


def beside(path: Path, suffix: str) -> Path:
    """The path of a side file; SQLite follows the links of the database's path first."""
    return Path(os.path.realpath(path) + suffix)


def _super_journal(path: Path) -> str | None:
    """The name of the super-journal at the end of the rollback journal, if there is one."""
    try:
        with beside(path, "-journal").open("rb") as journal:
            return _name_at_end(journal)
    except FileNotFoundError:
        return None


def _name_at_end(journal: BinaryIO) -> str | None:
    size = journal.seek(0, os.SEEK_END)
    if size < _TAIL:
        return None
    journal.seek(size - _TAIL)
    tail = journal.read(_TAIL)
    if not tail.endswith(_MAGIC):
        return None
    # The checksum does not matter: a journal of C4 never ends like this.
    length = min(int.from_bytes(tail[:4], "big"), size - _TAIL, _LONGEST_NAME)
    journal.seek(size - _TAIL - length)
    return os.fsdecode(journal.read(length))


def with_file_options(url: URL) -> URL:
    """Add the options that an SQLite file needs to its URL; other URLs stay the same."""
    if url.get_backend_name() != "sqlite" or url.database is None:
        return url
    path = Path(os.path.realpath(url.database))
    if not path.exists() or os.access(path.parent, os.W_OK):
        return url
    url = url.update_query_dict({MODE: READ_ONLY})
    if has_wal(path) or has_hot_journal(path):
        return url
    return url.update_query_dict({_IMMUTABLE: "1"})


def is_read_only(url: URL) -> bool:
    """Whether a database is opened read-only.

    Either the user's URL requires this, or the directory cannot be written.
    """
    return url.get_backend_name() == "sqlite" and MODE in url.query


def file_uri(url: URL) -> str:
    """SQLite's URI of a file, with the URL's options."""
    options = "&".join(f"{name}={value}" for name, value in sorted(url.query.items()))
    return f"file:{quote(os.path.abspath(url.database or ''))}?{options}"  # noqa: PTH100 (as typed)
