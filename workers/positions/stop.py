"""The wish that a search ends, told at once to whoever is searching."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Stop(threading.Event):
    """An event that also calls those who have asked to be told. Thread-safe."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    def set(self) -> None:
        """Wish it, and call whoever is :meth:`calling`."""
        super().set()
        with self._lock:
            for call in self._calls:
                call()

    @contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Within this context, something is called as soon as the wish is there.

        Args:
            call: may be called from any thread, twice as well; it must return soon.
        """
        with self._lock:
            self._calls.append(call)
        try:
            if self.is_set():
                call()
            yield
        finally:
            with self._lock:
                self._calls.remove(call)
