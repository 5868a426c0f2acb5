"""Stopping a player while it thinks about a move, which may take hours."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from c4core.players import Stop
from workers.core.searching import interrupting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def stopping(is_stopped: Callable[[], bool]) -> Iterator[Stop]:
    """A stop for the players of some games, which is set soon after ``is_stopped`` becomes true.

    Args:
        is_stopped: whether to stop; asked from another thread.
    """
    stop = Stop()
    with interrupting(is_stopped, stop.set):
        yield stop
