"""Interrupt work on units, and store what searches have found."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from c4core.notation import BoardSize
from db import evaluations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from db.database import Session
    from db.records.evaluations import StoredEvaluation

STOP_POLL_SECONDS: Final = 0.1
"""Time between two checks whether a search should end."""


@contextmanager
def interrupting(is_stopped: Callable[[], bool], stop: Callable[[], object]) -> Iterator[None]:
    """Call ``stop`` soon after ``is_stopped`` becomes true within this context.

    Both are called from another thread. ``stop`` is called repeatedly, because a search may begin
    just after it.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(STOP_POLL_SECONDS):
            if is_stopped():
                stop()

    watcher = threading.Thread(target=watch, name="c4-interrupt", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


def store_learned(session: Session, learned: Sequence[StoredEvaluation]) -> None:
    """Store evaluations of one board."""
    if learned:
        board = BoardSize(learned[0].width, learned[0].height)
        evaluations.store(session, board, learned)
