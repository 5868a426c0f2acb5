"""Stopping a player while it thinks about a move, which may take hours."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from c4core.players import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOK_SECONDS: Final = 0.1
"""Time between two looks at whether to stop."""


@contextmanager
def stopping(is_stopped: Callable[[], bool]) -> Iterator[Stop]:
    """A stop for the players of some games, which is set soon after ``is_stopped`` becomes true.

    Args:
        is_stopped: whether to stop; asked from another thread.
    """
    stop = Stop()
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(LOOK_SECONDS):
            # Repeatedly: a search may begin just after a stop.
            if is_stopped():
                stop.set()

    watcher = threading.Thread(target=watch, name="c4-interrupt", daemon=True)
    watcher.start()
    try:
        yield stop
    finally:
        is_over.set()
        watcher.join()
