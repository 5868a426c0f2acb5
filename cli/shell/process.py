"""The process ``c4``: exit codes, signals, standard streams, and lines for people.

:mod:`cli.__main__` installs the signal handlers before anything else is imported, so this module
imports no package at its top.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn, TextIO, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from types import FrameType

    UnraisableHookArgs = sys.UnraisableHookArgs

T = TypeVar("T")


class Exit(IntEnum):
    """The exit codes of ``c4``."""

    FINE = 0
    """Everything was done, and nothing wrong was found."""
    PROBLEMS = 1
    """Something wrong was found, or something is left undone."""
    USAGE = 2
    """The command or its input cannot be understood; nothing was done."""
    UNREACHABLE = 3
    """A service, such as the database server, cannot be reached."""
    INTERRUPTED = 130
    """Ctrl-C. The code is 128 plus the signal's number, so 143 for SIGTERM and 129 for SIGHUP."""
    CLOSED_PIPE = 141
    """The reader of the output is gone, as with ``| head``: 128 plus the number of SIGPIPE."""


EXIT_HELP: Final = (
    (Exit.FINE, "fine"),
    (Exit.PROBLEMS, "found problems, or left something undone"),
    (Exit.USAGE, "cannot understand the command or its input; nothing was done"),
    (Exit.UNREACHABLE, "cannot reach a service, such as the database server"),
    (Exit.INTERRUPTED, "interrupted (143 when terminated)"),
    (Exit.CLOSED_PIPE, "the reader of the output is gone"),
)

# Signals. Ctrl-C: the first ends the command cleanly, the second at once. A stack trace is never
# shown. SIGTERM (a service manager) and SIGHUP (a closed terminal) are treated like Ctrl-C, so that
# a job always hands its work back.

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SHOW_CURSOR: Final = b"\x1b[?25h"

_received: list[int] = []


def handle_signals() -> None:
    """Install handlers: the first signal raises KeyboardInterrupt(number), the second exits."""
    sys.unraisablehook = _show_unless_interrupted
    for number in SIGNALS:
        # A signal that the parent ignores (nohup, a background job of a script) stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop_in_order)


def check_signals() -> None:
    """Raise a signal's KeyboardInterrupt again if it was lost: call this in long waits.

    Python drops an exception that a handler raises while an object is being destroyed or a module
    is being locked for import.
    """
    if _received:
        raise KeyboardInterrupt(_received[0])


def ignore_signals() -> None:
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
    number = (*interrupt.args, *_received, signal.SIGINT)[0]
    return 128 + int(number)


def _show_unless_interrupted(unraisable: UnraisableHookArgs) -> None:
    """Show an exception that Python drops, unless it is a signal's.

    :func:`check_signals` raises a dropped interrupt again. If it comes while an import opens a
    file, the file is closed with a ResourceWarning, which ``python -W error`` raises.
    """
    dropped = (KeyboardInterrupt, ResourceWarning)
    if not (_received and isinstance(unraisable.exc_value, dropped)):
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


LOOK_SECONDS: Final = 0.25
"""Interval between checks for a lost signal."""

STOP_SECONDS: Final = 0.05
"""Interval between stop requests; a request that comes just before a new search has no effect."""


def run_in_background(
    work: Callable[[], T], stop: Callable[[], object], look: Callable[[], object] = lambda: None
) -> T:
    """Run some work in another thread and wait for it, so that Ctrl-C is handled at once.

    Python handles signals in the main thread only, and not while that thread is inside the engine.

    The work's exceptions are raised here. On KeyboardInterrupt, ``stop`` is called repeatedly until
    the work has ended; then the interrupt is raised. ``look`` is called in this thread from time to
    time.
    """
    from concurrent.futures import Future, wait

    future: Future[T] = Future()
    thread = threading.Thread(target=fulfil, args=(future, work), name="work")
    # An executor is not used here: if a signal comes while a thread starts, the executor loses
    # the thread and exits without waiting for it.
    try:
        thread.start()
        while not wait([future], timeout=LOOK_SECONDS).done:
            check_signals()
            look()
        return future.result()
    except KeyboardInterrupt:
        future.cancel()  # no effect once the work has begun
        while not future.done():
            stop()
            wait([future], timeout=STOP_SECONDS)
        raise


def fulfil(future: Future[T], work: Callable[[], T]) -> None:
    """Run the work and set the future's result or error, unless the future is cancelled."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
        future.set_exception(error)
    else:
        future.set_result(result)


# Standard streams, which may be closed or full, or whose reader may be gone.

STDIN, STDOUT, STDERR = range(3)
UNWRITABLE: Final = "backslashreplace"


def secure_streams() -> None:
    """Make sure that descriptors 0 to 2 are open before anything else is opened.

    If standard output is closed, a database could get descriptor 1, and output would be written
    into it. The replacements cannot be written to, so output to a closed stream is an error and is
    not lost. A closed standard input reads as empty.

    Characters that standard output's encoding lacks are written as escapes, as on standard error:
    one stored label must not stop a list.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # takes the lowest free descriptor: this one
    if sys.stdin is None:
        sys.stdin = open(STDIN, encoding="utf-8", closefd=False)  # noqa: SIM115 (for good)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=UNWRITABLE)
    if sys.stdout is None:
        sys.stdout = _text(STDOUT)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (for good)


def _text(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors=UNWRITABLE, closefd=False)


def input_name(file: IO[Any]) -> str:
    """The name of an input file, for people."""
    return "standard input" if file.name in ("<stdin>", STDIN) else os.fsdecode(file.name)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Add the input's name to errors while reading it; errors without a name are about output."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = name
        raise


def flush_streams(code: int) -> int:
    """Flush the output. Return the exit code, or :data:`Exit.PROBLEMS` if writing fails."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or Exit.CLOSED_PIPE
        discard_output()
    except OSError as error:
        with ignoring_closed_stderr():
            sys.stderr.write(f"Error: cannot write the output: {error.strerror}\n")
        code = code or Exit.PROBLEMS
        discard_output()
    try:
        sys.stderr.flush()
    except OSError:
        _discard(STDERR)
    return code


@contextmanager
def ignoring_closed_stderr() -> Iterator[None]:
    """Ignore a closed standard error, which must not change the exit code."""
    with suppress(OSError):
        yield


def discard_output() -> None:
    """Discard buffered standard output, so that the last flush cannot fail.

    If it failed, Python would exit with its own code, 120.
    """
    _discard(STDOUT)


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


# Lines for people. Labels, names of files and players, game details and error texts may come from
# other people, so invisible characters are escaped.


def echo(text: str = "", *, err: bool = False, newline: bool = True) -> None:
    """Write one line, even if the text has line breaks; a prompt has no new line at its end."""
    import click

    from workers.text import printable

    click.echo(printable(text), nl=newline, err=err)
