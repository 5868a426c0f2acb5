"""Work in a thread of its own, so that Ctrl-C is handled at once.

Python handles signals in the main thread only, and not while that one is inside the engine.
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
"""Time between two looks for a signal that was lost."""

STOP_SECONDS = 0.05
"""Time until the work is told again to stop: it may just have begun a new search."""


def run_in_background(
    work: Callable[[], T], stop: Callable[[], object], look: Callable[[], object] = lambda: None
) -> T:
    """Do the work in another thread and wait for it.

    Args:
        work: what to do; its exceptions are raised here.
        stop: ends the work soon, from any thread; called until the work has ended.
        look: called in this thread every now and then during the wait.

    Raises:
        KeyboardInterrupt: after the work was stopped.
    """
    future: Future[T] = Future()
    thread = threading.Thread(target=fulfil, args=(future, work), name="work")
    # An executor forgets a thread if a signal comes in the midst of its start, and ends without it.
    try:
        thread.start()
        while not wait([future], timeout=LOOK_SECONDS).done:
            signals.check()
            look()
        return future.result()
    except KeyboardInterrupt:
        future.cancel()  # if the work has not begun, it will not
        while not future.done():
            stop()
            wait([future], timeout=STOP_SECONDS)
        raise


def fulfil(future: Future[T], work: Callable[[], T]) -> None:
    """Do the work in its thread, unless it was cancelled before."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
        future.set_exception(error)
    else:
        future.set_result(result)
