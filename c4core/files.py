"""Atomic writing of files, and a check that a file is a regular file.

The check is for file names that come from data: a job, a game, a data card. Opening a named pipe
waits for a writer, and a device may be endless. So only regular files, and links to them, are read.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Replace a file by a new one when the context ends.

    The new file is flushed to the disk before it replaces the old file, and it has the same mode.
    If the context ends with an exception, the new file is removed and the old file stays unchanged.
    """
    beside = path.with_name(f".{path.stem}.{os.urandom(4).hex()}.new{path.suffix}")
    try:
        os.close(os.open(beside, _NEW_FILE, 0o666))
        with suppress(FileNotFoundError):
            beside.chmod(path.stat().st_mode)
        yield beside
        flush(beside)
        beside.replace(path)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(beside)):
            error.filename = str(path)  # the error of a full disk does not name a file
        raise
    with suppress(OSError):  # not every system allows this; the content is already on the disk
        flush(path.parent)


def flush(path: Path) -> None:
    """Flush the contents of a file or a directory from the system's cache to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_regular_file(path: Path) -> None:
    """Check that a path is a regular file, without opening it."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
