"""Files whose names come from elsewhere: a job, a game, a card.

Opening a named pipe waits for somebody who writes into it, and a device may have no end. What is
read is an ordinary file, or a link to one.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def check_plain(path: Path) -> None:
    """See that a name is that of an ordinary file. Never waits.

    Raises:
        OSError: it is not, or there is none.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "no ordinary file", str(path))
