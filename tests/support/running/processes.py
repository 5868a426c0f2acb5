"""Processes together with all processes that they have started."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tests.support.running.waiting import HANG_SECONDS

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterable
    from multiprocessing.process import BaseProcess

T = TypeVar("T")

PROCESSES = multiprocessing.get_context("forkserver")
"""Starts processes quickly: they are forked from a process that has the imports."""
PROCESSES.set_forkserver_preload(
    ["db.games", "db.jobs.queue", "tests.support.running.command_line"]
)


def run_all(target: Callable[..., object], every: Iterable[tuple[object, ...]]) -> None:
    """Run a function in parallel processes, one for each argument; each must succeed."""
    processes: list[BaseProcess] = [PROCESSES.Process(target=target, args=each) for each in every]
    for process in processes:
        process.start()
    for process in processes:
        process.join(HANG_SECONDS)
    assert [process.exitcode for process in processes] == [0] * len(processes)


def obey_permissions() -> None:
    """Give up all capabilities of this process, so that file modes apply to root as well."""
    version_3, this_process = 0x20080522, 0  # linux/capability.h
    header = (ctypes.c_uint32 * 2)(version_3, this_process)
    assert ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)()) == 0


def family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:  # the list grows meanwhile
        try:
            for thread in Path(f"/proc/{parent}/task").iterdir():
                with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                    found += map(int, (thread / "children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            continue  # the process has ended
    return found


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to the processes that still run."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def wait_gone(pids: Iterable[int], seconds: float) -> None:
    """Wait until none of the processes runs; raise TimeoutError if some still run in the end."""
    deadline = time.monotonic() + seconds
    while left := [pid for pid in pids if _runs(pid)]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes {left} did not end")
        time.sleep(0.005)


def _runs(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


def at_once(work: Callable[[], T], threads: int = 8) -> list[T]:
    """Begin the same work in several threads at the same moment; return their results."""
    barrier = threading.Barrier(threads)

    def begin(_number: int) -> T:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begin, range(threads)))
