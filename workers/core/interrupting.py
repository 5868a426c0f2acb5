"""Interrupting work that nobody asks while it runs, which may be for hours."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOK_SECONDS: Final = 0.1
"""Time between two looks at whether to stop."""


@contextmanager
def interrupting(is_stopped: Callable[[], bool], stop: Callable[[], object]) -> Iterator[None]:
    """Within this context, ``stop`` is called soon after ``is_stopped`` becomes true.

    Args:
        is_stopped: whether to stop; asked from another thread.
        stop: ends the work; called from that thread, again and again: a search may begin just after
            a stop.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(LOOK_SECONDS):
            if is_stopped():
                stop()

    watcher = threading.Thread(target=watch, name="c4-interrupt", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
