"""Calls that a Ctrl-C comes into, and moves of players that are stopped while they think."""

import signal
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from c4core.players import Stop
from tests.support.running.waiting import HANG_SECONDS, await_that

BUSY_SECONDS = 0.03
"""Who has computed for so long is in the midst of it."""


def interrupted(seconds: float, call: Callable[..., object], *arguments: Any) -> None:  # noqa: ANN401
    """Call something, with a Ctrl-C that comes after some time; none is on its way in the end.

    The timer starts within the call, so that a signal that comes early is raised there, too.
    """
    timer = threading.Timer(seconds, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        call(*arguments)
    finally:
        timer.join()


def interrupted_when(
    holds: Callable[[], object],
    call: Callable[..., object],
    *arguments: Any,  # noqa: ANN401
) -> None:
    """Call something, with a Ctrl-C as soon as a condition holds, or when the call is over."""
    is_over = threading.Event()

    def watch() -> None:
        while not (holds() or is_over.wait(0.001)):
            pass
        signal.raise_signal(signal.SIGINT)

    watcher = threading.Thread(target=watch)
    try:
        watcher.start()
        call(*arguments)
    finally:
        is_over.set()
        watcher.join()


class Ended(NamedTuple):
    """How something that was stopped came to its end."""

    was_thinking: bool
    result: object
    """What it returned or raised."""


def stopped(
    think: Callable[[Stop], object], *, is_thinking: Callable[[], object] | None = None
) -> Ended:
    """Let something be thought about in a thread, stop it in its midst, and wait for its end.

    Args:
        think: gets the stop.
        is_thinking: whether it is in the midst of it; by default by the time that it has computed.
    """
    stop = Stop()
    results: list[object] = []

    def run() -> None:
        try:
            results.append(think(stop))
        except BaseException as error:  # noqa: BLE001 (the test looks at it)
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    begun = time.process_time()
    holds = is_thinking or (lambda: time.process_time() - begun > BUSY_SECONDS)
    thread.start()
    await_that(lambda: holds() or not thread.is_alive(), seconds=HANG_SECONDS)
    was_thinking = thread.is_alive()

    def has_ended() -> bool:
        stop.set()  # again: a search that has just begun may have missed it
        return not thread.is_alive()

    await_that(has_ended, seconds=HANG_SECONDS)
    return Ended(was_thinking, results[0])
