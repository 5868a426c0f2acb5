"""Running ``c4`` on a terminal of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.running.command_line import C4


def run_on_terminal(c4: C4, *arguments: str, code: int = 0, **environment: str) -> bytes:
    """What is written on a terminal of 80 columns."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", *arguments],
        cwd=c4.directory,
        env={**os.environ, **c4.environment, "TERM": "xterm", "COLUMNS": "80", **environment},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    written = b""
    while chunk := _read(leader):
        written += chunk
    os.close(leader)
    assert process.wait() == code
    return written


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""
