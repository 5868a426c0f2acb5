"""A check of files whose names come from data: a job, a game, a card.

Opening a named pipe waits for a writer, and a device may have no end. So only regular files, and
links to them, are read.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def check_plain(path: Path) -> None:
    """Check that a path is a regular file. This never waits.

    Raises:
        OSError: the file is missing, or of another kind.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "no ordinary file", str(path))
