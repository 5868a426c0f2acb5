"""Waiting for what another thread or process does."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.running.service import Process

WAIT_SECONDS = 60
AT_ONCE_SECONDS = 10
"""Whoever takes longer waits for something. A process on a loaded machine takes some of it."""

# Only Linux tells there how long another process has computed; CI runs on it.
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")


def await_that(
    holds: Callable[[], object],
    process: Process | None = None,
    *,
    seconds: float = WAIT_SECONDS,
) -> None:
    """Wait until a condition holds; if a process ends before, so does the test.

    Looking takes a quarter of a processor at most: those that are waited for need it themselves.
    """
    deadline = time.monotonic() + seconds
    while True:
        began = time.thread_time()
        if holds():
            return
        assert time.monotonic() < deadline, process and process.log
        if process is not None:
            assert process.process.poll() is None, process.log
        time.sleep(max(0.02, 3 * (time.thread_time() - began)))


def cpu_seconds(pid: int) -> float:
    """How long a process has computed: unlike the time of day, it tells how far it has come."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
