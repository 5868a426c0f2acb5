"""Interrupt calls with Ctrl-C, and stop players while they think."""

import signal
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from c4core.players import Stop
from tests.support.running.waiting import HANG_SECONDS, await_that

BUSY_SECONDS = 0.03
"""Processor time after which a thread counts as busy."""

_TRIES = 100


def interrupted(seconds: float, call: Callable[..., object], *arguments: Any) -> None:  # noqa: ANN401
    """Call something, and send Ctrl-C after some time; no signal is pending afterwards.

    The timer starts within the call, so that an early signal is raised there, too.
    """
    timer = threading.Timer(seconds, _press_ctrl_c)
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
    """Call something, and send Ctrl-C when a condition holds or when the call is over."""
    is_over = threading.Event()

    def watch() -> None:
        while not (holds() or is_over.wait(0.001)):
            pass
        _press_ctrl_c()

    watcher = threading.Thread(target=watch)
    try:
        watcher.start()
        call(*arguments)
    finally:
        is_over.set()
        watcher.join()


def _press_ctrl_c() -> None:
    """Send SIGINT to the main thread, as Ctrl-C does.

    A signal to another thread would not wake the main thread if it waits for a lock.
    """
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


class Ended(NamedTuple):
    """The end of a stopped call."""

    was_thinking: bool
    result: object
    """The value returned or the exception raised."""


def stopped(
    think: Callable[[Stop], object], *, is_thinking: Callable[[], object] | None = None
) -> Ended:
    """Run ``think`` in a thread, stop it while it is thinking, and wait for its end.

    By default, it counts as thinking once it has used some processor time. If it ends by itself
    before it can be stopped, as on a busy machine, it runs again.
    """
    for _ in range(_TRIES):
        ended = _stopped_once(think, is_thinking)
        if ended.was_thinking:
            break
    return ended


def _stopped_once(
    think: Callable[[Stop], object], is_thinking: Callable[[], object] | None
) -> Ended:
    stop = Stop()
    results: list[object] = []

    def run() -> None:
        try:
            results.append(think(stop))
        except BaseException as error:  # noqa: BLE001 (the test checks it)
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    begun = time.process_time()
    holds = is_thinking or (lambda: time.process_time() - begun > BUSY_SECONDS)
    thread.start()
    await_that(lambda: holds() or not thread.is_alive(), seconds=HANG_SECONDS)
    was_thinking = thread.is_alive()

    def has_ended() -> bool:
        stop.set()  # again: a search that has just started may have missed the stop
        return not thread.is_alive()

    await_that(has_ended, seconds=HANG_SECONDS)
    return Ended(was_thinking, results[0])
