"""The files that SQLite keeps beside a database, checked before SQLite opens them.

A database that somebody has sent may bring such files. Opening it must change nothing but them and
the database. These are refused:

- A side file that is a link: SQLite would write to, or cut off, the file behind it.
- A rollback journal that names a super-journal. SQLite writes one for a transaction over several
  files, and deletes the file that has this name when it rolls back. C4 writes to one file at a
  time, so none of its journals names one.
- A database that is a link to nothing: it would choose where the new database is made.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from db.errors import NotADatabaseError

SUFFIXES: Final = ("-journal", "-wal", "-shm")

_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")
"""The beginning of a rollback journal, and the end of the name of a super-journal."""

_TAIL: Final = 16
"""Bytes after the super-journal's name: its length, its checksum, and the magic."""

_LONGEST_NAME: Final = 4096


def check_side_files(path: Path) -> None:
    """Refuse a database that would let SQLite write to a file of another name.

    Args:
        path: the database; need not exist.

    Raises:
        NotADatabaseError: a file beside it is a link, not a regular file, or a journal that names
            a super-journal; or it is a link to nothing.
        OSError: a file beside it cannot be read.
    """
    if path.is_symlink() and not path.exists():
        raise NotADatabaseError(f"cannot open {path}: it is a link to a file that is not there")
    for suffix in SUFFIXES:
        side = beside(path, suffix)
        with suppress(FileNotFoundError):
            found = side.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
                continue
            raise NotADatabaseError(
                f"cannot open {path}: {side} is a link or not a regular file, and SQLite would "
                "change what is behind it: remove it"
            )
    victim = _super_journal(path)
    if victim is not None:
        raise NotADatabaseError(
            f"cannot open {path}: SQLite would delete {victim!r}, which the file {path}-journal "
            "names: if you trust these files, open them first with the program that wrote them"
        )


def has_wal(path: Path) -> bool:
    """Whether transactions are stored beside the file and not yet in it."""
    try:
        return beside(path, "-wal").stat().st_size > 0
    except OSError:
        return False


def has_hot_journal(path: Path) -> bool:
    """Whether a transaction was interrupted, or is running, that SQLite has to roll back."""
    try:
        with beside(path, "-journal").open("rb") as journal:
            return journal.read(1) not in {b"", b"\0"}
    except OSError:
        return False


def beside(path: Path, suffix: str) -> Path:
    """A side file; SQLite follows the links of the database's path first."""
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
