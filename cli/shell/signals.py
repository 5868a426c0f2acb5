"""Ctrl-C: the first ends the command cleanly, the second at once. A stack trace is never shown.

SIGTERM (a service manager) and SIGHUP (a closed terminal) are treated like Ctrl-C, so that a job
always hands its work back.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

    UnraisableHookArgs = sys.UnraisableHookArgs

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SHOW_CURSOR = b"\x1b[?25h"

_received: list[int] = []


def install() -> None:
    """Install handlers: the first signal raises KeyboardInterrupt(number), the second exits."""
    sys.unraisablehook = _show_unless_interrupted
    for number in SIGNALS:
        # A signal that the parent ignores (nohup, a background job of a script) stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop_in_order)


def check() -> None:
    """Raise a signal's KeyboardInterrupt again if it was lost: call this in long waits.

    Python drops an exception that a handler raises while an object is being destroyed or a module
    is being locked for import.
    """
    if _received:
        raise KeyboardInterrupt(_received[0])


def ignore() -> None:
    """Ignore signals from here on: the exit code is decided.

    Python removes its handlers before it exits; a signal would then kill it and change the code.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    # If a KeyboardInterrupt has ever escaped from exec(), even if it was caught, CPython kills
    # itself by SIGINT at exit. Dataclasses and named tuples call exec() on import. Another call
    # resets that.
    exec("pass")  # noqa: S102


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """The exit code after a KeyboardInterrupt: 128 plus the signal's number."""
    number = interrupt.args[0] if interrupt.args else signal.SIGINT
    return 128 + int(number)


def _show_unless_interrupted(unraisable: UnraisableHookArgs) -> None:
    """Show an exception that Python drops, unless it is a signal's: :func:`check` raises it."""
    if not (_received and isinstance(unraisable.exc_value, KeyboardInterrupt)):
        sys.__unraisablehook__(unraisable)


def _stop_in_order(number: int, _frame: FrameType | None) -> NoReturn:
    _received.append(number)
    for other in SIGNALS:
        if signal.getsignal(other) is _stop_in_order:
            signal.signal(other, _stop_at_once)
    raise KeyboardInterrupt(number)


def _stop_at_once(number: int, _frame: FrameType | None) -> NoReturn:
    # There is no clean-up, because database transactions survive this. But the cursor is hidden
    # while progress is drawn, and nothing else would show it again.
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(2, SHOW_CURSOR + b"\r\n")
    os._exit(128 + number)
