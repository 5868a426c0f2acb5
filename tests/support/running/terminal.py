"""Run ``c4`` on a terminal of its own."""

import os
import pty
import re
import signal
import subprocess
import sys

from tests.support.running.command_line import C4


def run_on_terminal(
    c4: C4, *arguments: str, code: int = 0, interrupted_at: bytes | None = None
) -> bytes:
    """Return the output of a command on a terminal of 80 columns.

    Ctrl-C is sent when the pattern ``interrupted_at`` has been written.
    """
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", *arguments],
        cwd=c4.directory,
        env={**os.environ, **c4.environment, "TERM": "xterm", "COLUMNS": "80"},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    written = b""
    while chunk := _read(leader):
        written += chunk
        if interrupted_at is not None and re.search(interrupted_at, written):
            process.send_signal(signal.SIGINT)
            interrupted_at = None
    os.close(leader)
    assert process.wait() == code
    return written


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""
