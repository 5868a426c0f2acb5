"""Which :class:`~workers.service.process.WorkerProcess` this process is.

``c4 worker`` says so before it begins. A process that ``celery -A workers.app worker`` has started
becomes one when it has to: after the fork, if there is one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.service.process import WorkerProcess

Factory = Callable[[], "WorkerProcess"]
"""Makes one."""

_lock = threading.Lock()
_processes: dict[int, WorkerProcess] = {}
# By process number: a child that was forked has inherited its parent's.
_make: list[Factory] = []


def become(process: WorkerProcess) -> None:
    """Say which one this process is."""
    _processes[os.getpid()] = process


def make_by(factory: Factory) -> None:
    """Say how to become one when it has to be."""
    _make[:] = [factory]


def process() -> WorkerProcess:
    """The one that this process is."""
    with _lock:
        found = _processes.get(os.getpid())
        if found is None:
            found = _make[0]()
            become(found)
            found.start()
        return found


def end() -> None:
    """Stop being one, if this process is one."""
    found = _processes.pop(os.getpid(), None)
    if found is not None:
        found.stop()
