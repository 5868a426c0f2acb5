"""The :class:`~workers.service.process.WorkerProcess` of this process.

``c4 worker`` makes one and sets it here before it takes messages. A process that ``celery -A
workers.app worker`` has started makes one when it first needs it: after the fork, if there is one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from workers.service.process import WorkerProcess

Factory = Callable[[], "WorkerProcess"]
"""Makes this process a worker process."""


class ThisProcess:
    """Holds the worker process of this process. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By process number: a forked child has inherited its parent's.
        self._workers: dict[int, WorkerProcess] = {}
        self._factory: Factory | None = None

    def become(self, worker: WorkerProcess) -> None:
        """Set the worker process of this process."""
        self._workers[os.getpid()] = worker

    def become_by(self, factory: Factory) -> None:
        """Set the function that makes this process, or a child of it, a worker process."""
        self._factory = factory

    def worker(self) -> WorkerProcess:
        """The worker process of this process; it is made and started if needed.

        Raises:
            RuntimeError: there is none, and no function to make one was set.
        """
        with self._lock:
            found = self._workers.get(os.getpid())
            if found is None:
                if self._factory is None:
                    raise RuntimeError(
                        "this process is no worker: start one with c4 worker, or with "
                        "celery -A workers.app worker"
                    )
                found = self._factory()
                self.become(found)
                found.start()
            return found

    def end(self) -> None:
        """Stop being a worker process, if this is one."""
        found = self._workers.pop(os.getpid(), None)
        if found is not None:
            found.stop()


THIS_PROCESS: Final = ThisProcess()
"""The object for this process."""
