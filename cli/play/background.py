"""Work in threads that nobody has to wait for, at the end least of all.

A player may think for an hour, and most cannot be told to stop; whoever leaves the game leaves it.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Final, TypeVar

from cli.shell import signals

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LOOK_SECONDS: Final = 0.25
"""Between two looks whether a signal was lost."""


def in_background(work: Callable[[], object]) -> None:
    """Do something, and do not wait for it."""
    threading.Thread(target=work, daemon=True).start()


def wait_for(work: Callable[[], T]) -> T:
    """Do something and wait for it, while able to hear Ctrl-C.

    Raises:
        KeyboardInterrupt: at once; the work may still be going on.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
            future.set_exception(error)

    in_background(run)
    while not wait([future], timeout=LOOK_SECONDS).done:
        signals.check()
    return future.result()
