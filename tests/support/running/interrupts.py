"""Calls that a Ctrl-C comes into."""

import signal
import threading
from collections.abc import Callable
from typing import Any


def interrupted(seconds: float, call: Callable[..., object], *arguments: Any) -> None:  # noqa: ANN401
    """Call something, with a Ctrl-C that comes after some time; none is on its way in the end.

    The timer starts within the call, so that a signal that comes early is raised there, too.
    """
    timer = threading.Timer(seconds, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        call(*arguments)
    finally:
        timer.join()
