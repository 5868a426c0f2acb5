"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """The path of a new file beside another, whose place it takes when the context ends well.

    By then it is on the disk, and it has the mode of the file that it replaces, if there is one. If
    the context ends badly it is gone, and the other one is as it was.

    Raises:
        OSError: names the file that was wanted, not the one beside it.
    """
    beside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.new{path.suffix}")
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
            error.filename = str(path)  # a full disk does not say which
        raise
    with suppress(OSError):  # not every system can do this; the file itself is safe
        flush(path.parent)


def flush(path: Path) -> None:
    """Have what was written to a file, or to a directory, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
