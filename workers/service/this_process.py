"""The :class:`~workers.service.process.WorkerProcess` that this process is.

``c4 worker`` makes one and says so here before it takes messages. A process that ``celery -A
workers.app worker`` has started makes one when it first needs one: after the fork, if there is one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from workers.service.process import WorkerProcess

Factory = Callable[[], "WorkerProcess"]
"""Makes a worker process of this one."""


class ThisProcess:
    """Knows what this process is. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By process number: a child that was forked has inherited its parent's.
        self._workers: dict[int, WorkerProcess] = {}
        self._factory: Factory | None = None

    def become(self, worker: WorkerProcess) -> None:
        """Say which worker process this is."""
        self._workers[os.getpid()] = worker

    def become_by(self, factory: Factory) -> None:
        """Say how this process, or a child of it, becomes a worker process when it has to."""
        self._factory = factory

    def worker(self) -> WorkerProcess:
        """The worker process that this is; made and started if it is not there yet.

        Raises:
            RuntimeError: this process is none, and nobody has said how it becomes one.
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
"""The one there is."""
