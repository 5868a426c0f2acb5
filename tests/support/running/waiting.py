"""Wait for another thread or process."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.running.service import Process

Found = TypeVar("Found")

HANG_SECONDS = 120
"""Only a hang takes longer, even on a machine whose processors are all busy."""

# Only Linux reports there how long another process has computed; CI runs on Linux.
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")


def await_that(
    holds: Callable[[], object],
    process: Process | subprocess.Popen[str] | None = None,
    *,
    seconds: float = HANG_SECONDS,
) -> None:
    """Wait until a condition holds; fail with the process's output if it ends before.

    Checking takes at most a quarter of a processor, because the awaited process needs it.
    """
    deadline = time.monotonic() + seconds
    while True:
        # Check in this order: the last action of a process may fulfil the condition.
        code = None if process is None else _popen(process).poll()
        is_late = time.monotonic() > deadline
        began = time.thread_time()
        if holds():
            return
        assert code is None, f"the process has ended with code {code}: {_words(process)}"
        assert not is_late, f"no success within {seconds} s: {_words(process)}"
        time.sleep(max(0.02, 3 * (time.thread_time() - began)))


def ends(call: Callable[[], Found]) -> Found:
    """Make a call that must end by itself, and return its result.

    The call runs in a thread that does not keep the tests alive if it hangs.
    """
    outcome: Future[Found] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 (it is raised again below)
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result(HANG_SECONDS)


def _popen(process: Process | subprocess.Popen[Any]) -> subprocess.Popen[Any]:
    return process if isinstance(process, subprocess.Popen) else process.process


def _words(process: Process | subprocess.Popen[str] | None) -> str | None:
    """The output of a process, as far as it can be read without waiting."""
    if isinstance(process, subprocess.Popen):
        return process.stderr.read() if process.poll() is not None and process.stderr else None
    return process and process.log


def await_thread_at_work(process: subprocess.Popen[str], *, seconds: float = 0.2) -> None:
    """Wait until a thread other than the first has computed for a time: ``c4`` searches in it."""

    def has_computed() -> bool:
        for task in Path(f"/proc/{process.pid}/task").glob("[0-9]*"):
            with suppress(FileNotFoundError, ProcessLookupError):
                fields = (task / "stat").read_text().rpartition(")")[2].split()
                ticks = int(fields[11]) + int(fields[12])
                if int(task.name) != process.pid and ticks >= seconds * os.sysconf("SC_CLK_TCK"):
                    return True
        return False

    await_that(has_computed, process, seconds=HANG_SECONDS)
