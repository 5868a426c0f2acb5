"""Work in threads that nobody has to wait for, at the end least of all.

A player may be loading a library, which cannot be told to stop; whoever leaves the game leaves it.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, TypeVar

from cli.shell import signals
from cli.shell.background import LOOK_SECONDS, fulfil

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def in_background(work: Callable[[], object]) -> None:
    """Do something, and do not wait for it."""
    threading.Thread(target=work, daemon=True).start()


def wait_for(work: Callable[[], T]) -> T:
    """Do something and wait for it, while able to hear Ctrl-C.

    Raises:
        KeyboardInterrupt: at once; the work may still be going on.
    """
    future: Future[T] = Future()
    in_background(lambda: fulfil(future, work))
    while not wait([future], timeout=LOOK_SECONDS).done:
        signals.check()
    return future.result()
