"""Stopping in the midst of a move: a program may think for a minute, and nobody waits that long."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workers.matches.table import Table

LOOK_SECONDS: Final = 0.1
"""Time between two looks at whether to stop."""


@contextmanager
def interrupted(table: Table, is_stopped: Callable[[], bool]) -> Iterator[None]:
    """While games are played, interrupt the players as soon as it is to stop.

    A game that was lost by that is no game: see whether it is to stop before it is believed.

    Args:
        table: where they play.
        is_stopped: whether to stop; asked from another thread.
    """
    if not table.has_programs:
        yield
        return
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(LOOK_SECONDS):
            # Again and again: a program may have been about to be started.
            if is_stopped():
                table.interrupt()

    watcher = threading.Thread(target=watch, name="c4-interrupt", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
