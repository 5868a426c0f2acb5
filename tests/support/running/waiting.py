"""Waiting for what another thread or process does."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.running.service import Process

Found = TypeVar("Found")

HANG_SECONDS = 120
"""Only a hang takes longer, also on a machine whose processors are all busy."""

# Only Linux tells there how long another process has computed; CI runs on it.
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")


def await_that(
    holds: Callable[[], object],
    process: Process | subprocess.Popen[str] | None = None,
    *,
    seconds: float = HANG_SECONDS,
) -> None:
    """Wait until a condition holds; if a process ends before, so does the test, with its words.

    Looking takes a quarter of a processor at most: those that are waited for need it themselves.
    """
    deadline = time.monotonic() + seconds
    while True:
        # In this order: what the process did last may be what is waited for.
        has_ended = process is not None and _popen(process).poll() is not None
        is_late = time.monotonic() > deadline
        began = time.thread_time()
        if holds():
            return
        assert not has_ended, f"it has ended: {_words(process)}"
        assert not is_late, f"not within {seconds} s: {_words(process)}"
        time.sleep(max(0.02, 3 * (time.thread_time() - began)))


def ends(call: Callable[[], Found]) -> Found:
    """Make a call that must end by itself, and return its result.

    The call runs in a thread that does not keep the tests alive if it hangs.
    """
    found: list[Found] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            found.append(call())
        except BaseException as error:  # noqa: BLE001 (it is raised again below)
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(HANG_SECONDS)
    assert not thread.is_alive(), f"it does not end within {HANG_SECONDS} s"
    if errors:
        raise errors[0]
    return found[0]


def _popen(process: Process | subprocess.Popen[Any]) -> subprocess.Popen[Any]:
    return process if isinstance(process, subprocess.Popen) else process.process


def _words(process: Process | subprocess.Popen[str] | None) -> str | None:
    """What a process has said, as far as it can be read without waiting."""
    if process is None:
        return None
    if not isinstance(process, subprocess.Popen):
        return process.log
    return process.stderr.read() if process.poll() is not None and process.stderr else None


def cpu_seconds(pid: int) -> float:
    """How long a process has computed: unlike the time of day, it tells how far it has come."""
    return _cpu_seconds(Path(f"/proc/{pid}/stat"))


def await_thread_at_work(process: subprocess.Popen[str], *, seconds: float = 0.2) -> None:
    """Wait until a thread beside the first one has computed for a time: ``c4`` searches in it."""

    def has_computed() -> bool:
        for task in Path(f"/proc/{process.pid}/task").glob("[0-9]*"):
            with suppress(FileNotFoundError, ProcessLookupError):
                if int(task.name) != process.pid and _cpu_seconds(task / "stat") >= seconds:
                    return True
        return False

    await_that(has_computed, process, seconds=HANG_SECONDS)


def _cpu_seconds(stat: Path) -> float:
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
