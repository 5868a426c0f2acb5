"""Telling a worker process to stop: by a signal, or after an error that ends all work.

A pipe passes signals to a thread of their own. A handler would interrupt the main thread anywhere,
could not take a lock that is held there, and would not run at all if another thread got the signal
while the main thread waits for a broker.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Final

from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

STOP_SECONDS: Final = 4.0
"""A process that was told to stop ends after so long, even if a server does not answer. Units that
are not handed back by then are free when their leases run out."""

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""From a service manager, from Ctrl-C, and from a terminal that is closed."""


class Stop:
    """Whether to stop, and why.

    Args:
        on_request: called once, in a thread of its own, when the process must stop.
        signals: those that tell it to stop.

    Attributes:
        requested: set when the process must stop.
        error: the error after which it cannot work; None if it was a signal.
    """

    def __init__(
        self, on_request: Callable[[], None], signals: Sequence[signal.Signals] = SIGNALS
    ) -> None:
        self.requested = threading.Event()
        self.error: Exception | None = None
        self._on_request = on_request
        self._signals = signals
        self._once = threading.Lock()

    def listen(self) -> None:
        """Handle the signals, except ignored ones; only the main thread may call it."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in self._signals:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _do_nothing)
        threading.Thread(
            target=self._listen, args=(reader,), name="c4-signals", daemon=True
        ).start()

    def request(self, error: Exception | None = None) -> None:
        """Tell the process to stop; later calls change nothing."""
        with self._once:
            if self.requested.is_set():
                return
            self.error = error
            self.requested.set()
        threading.Thread(target=self._on_request, name="c4-stop", daemon=True).start()
        threading.Thread(target=self._insist, name="c4-deadline", daemon=True).start()

    def _listen(self, reader: int) -> None:
        first = self._await_signal(reader)
        LOGGER.info("%s: handing back what is not done", signal.Signals(first).name)
        self.request()
        os._exit(128 + self._await_signal(reader))

    def _await_signal(self, reader: int) -> int:
        while True:
            number = os.read(reader, 1)[0]  # any signal with a handler
            if number in self._signals:
                return number

    def _insist(self) -> None:
        threading.Event().wait(STOP_SECONDS)
        LOGGER.warning(
            "a server does not answer: ending; what is not handed back comes free in time"
        )
        os._exit(0 if self.error is None else 1)


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: Python writes to the pipe only for signals that have a handler."""
