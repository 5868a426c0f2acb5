"""A thread for periodic duties, beside the work itself."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from db.errors import StorageError
from workers.errors import BrokerError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(slots=True)
class Duty:
    """A periodic duty."""

    name: str
    """The words for the log: ``cannot <name>``."""
    every_seconds: Callable[[], float]
    """The mean time until the next time; jitter separates processes that started together."""
    do: Callable[[], object]
    """If it raises an error, the error is logged, and the duty is done again at its next time.
    False means that another process did it this time, which is neither success nor failure."""
    is_failing: bool = field(default=False, init=False)
    due: float = field(default=0.0, init=False)


class Rounds:
    """Does every duty when it is due, in one thread.

    Args:
        duties: the duties.
        name: the thread's.
    """

    def __init__(self, duties: Sequence[Duty], *, name: str = "c4-rounds") -> None:
        self._duties = list(duties)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._go, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread; every duty is done at once, and then periodically."""
        self._thread.start()

    def close(self) -> None:
        """End the thread after its present duty; does not wait for one that hangs on a server."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=0.5)

    def _go(self) -> None:
        while not self._closed.is_set():
            for duty in self._duties:
                if time.monotonic() >= duty.due and not self._closed.is_set():
                    _do(duty)
                    jitter = random.uniform(0.8, 1.2)  # noqa: S311 (no secret)
                    duty.due = time.monotonic() + jitter * duty.every_seconds()
            soonest = min(duty.due for duty in self._duties)
            self._closed.wait(max(0.0, soonest - time.monotonic()))


def _do(duty: Duty) -> None:
    try:
        if duty.do() is False:
            return
    except (StorageError, BrokerError, OSError) as error:
        tell = LOGGER.debug if duty.is_failing else LOGGER.warning
        tell("cannot %s, trying again: %s", duty.name, error)
        duty.is_failing = True
    except Exception as error:  # noqa: BLE001 (the thread must go on, or what is lost stays lost)
        # Without logging set up, the traceback would be shown to the user.
        trace = LOGGER.hasHandlers()
        LOGGER.error("cannot %s, trying again: %r", duty.name, error, exc_info=trace)
        duty.is_failing = True
    else:
        if duty.is_failing:
            LOGGER.warning("it is possible again to %s", duty.name)
        duty.is_failing = False
