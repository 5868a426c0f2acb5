"""A saved game is played by one process at a time: two would overwrite each other's moves."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from c4core.errors import C4Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class GameInUseError(C4Error):
    """Another process is playing the game of a file.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path}: another c4 play keeps its game there; name another file with --file"
        )
        self.path = path


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Keep other processes from playing a file's game, as long as the context lasts.

    The lock is on a file beside it, which is removed at the end. It ends with the process, however
    that ends. Where files cannot be locked, there is no lock.

    Raises:
        GameInUseError: another process has the lock.
    """
    beside = path.with_name(f".{path.name}.lock")
    try:
        handle = _locked(beside)
    except BlockingIOError:
        raise GameInUseError(path) from None
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            beside.unlink()
        os.close(handle)


def _locked(path: Path) -> int:
    """Create and lock a file. Returns its handle.

    Raises:
        BlockingIOError: another process has locked it.
        OSError: it cannot be created or locked.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the process that had the lock has removed the file


def _is(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
