"""Run work in a thread of its own, so that Ctrl-C is handled at once.

Python handles signals in the main thread only, and not while that thread is inside the engine.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, TypeVar

from cli.shell import signals

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LOOK_SECONDS = 0.25
"""Interval between checks for a lost signal."""

STOP_SECONDS = 0.05
"""Interval between stop requests; a request that comes just before a new search has no effect."""


def run_in_background(
    work: Callable[[], T], stop: Callable[[], object], look: Callable[[], object] = lambda: None
) -> T:
    """Run some work in another thread and wait for it; its exceptions are raised here.

    On KeyboardInterrupt, ``stop`` is called repeatedly until the work has ended; then the interrupt
    is raised. ``look`` is called in this thread from time to time.
    """
    future: Future[T] = Future()
    thread = threading.Thread(target=fulfil, args=(future, work), name="work")
    # An executor is not used here: if a signal comes while a thread starts, the executor loses
    # the thread and exits without waiting for it.
    try:
        thread.start()
        while not wait([future], timeout=LOOK_SECONDS).done:
            signals.check()
            look()
        return future.result()
    except KeyboardInterrupt:
        future.cancel()  # no effect once the work has begun
        while not future.done():
            stop()
            wait([future], timeout=STOP_SECONDS)
        raise


def fulfil(future: Future[T], work: Callable[[], T]) -> None:
    """Run the work and set the future's result or error, unless the future is cancelled."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
        future.set_exception(error)
    else:
        future.set_result(result)
