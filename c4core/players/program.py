"""A program that plays, in a process of its own, spoken to in lines of text.

Every wait has an end. Whatever the program does (it hangs, dies, floods its output, leaves children
behind), the worst that happens here is a :class:`PlayerFailure`; its whole process group is killed
and waited for, so that nothing of it remains. docs/players.md describes the protocol.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from typing import TYPE_CHECKING, Final

from c4core.players.errors import Failing, PlayerFailure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROTOCOL: Final = 1
"""The version of the protocol."""

START_SECONDS: Final = 20.0
"""For a program to start and say that it is ready; a busy machine is slow."""

QUIT_SECONDS: Final = 1.0
"""For a program to end after it was told to."""

DEFAULT_SECONDS: Final = 60.0
"""For a move where the game has no limit: a program that hangs must not hold up the match."""

MOST_BYTES: Final = 64 * 1024
"""Of output without an answer: a program that writes more is no player."""

ERROR_BYTES: Final = 2000
"""Of the last that a program wrote to its standard error, kept to say why it died."""


class Program:
    """One process and the lines to and from it.

    Args:
        command: the program and its arguments.
        environment: its environment; None for this process's own.
    """

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None
    ) -> None:
        self._command = tuple(command)
        self._environment = None if environment is None else dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._selector: selectors.BaseSelector | None = None
        self._finalizer: weakref.finalize[[subprocess.Popen[bytes], int], Program] | None = None
        self._output = b""
        self._errors = b""

    @property
    def is_running(self) -> bool:
        """Whether there is a process that has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The process's number, or None where there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process, unless it runs, and exchange greetings.

        Raises:
            PlayerFailure: it cannot be started, ends, or does not greet in time.
        """
        if self.is_running:
            return
        self.kill()
        try:
            process = subprocess.Popen(  # noqa: S603  (the user names the program)
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise PlayerFailure(
                Failing.CRASH, f"{self._command[0]} cannot be started: {error.strerror}"
            ) from None
        self._process = process
        # Also when nobody closes it: at the end of this object or of the interpreter.
        self._finalizer = weakref.finalize(self, _end_process, process, os.getpid())
        self._selector = selectors.DefaultSelector()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None  # noqa: S101  (both were asked for)
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ)
        self._output = self._errors = b""
        self.tell(f"c4 {PROTOCOL}")
        answer = self.hear(START_SECONDS)
        if answer.split(maxsplit=1)[:1] != ["ready"]:
            self.kill()
            raise PlayerFailure(
                Failing.NONSENSE, f"greeted with {_shortened(answer)} instead of 'ready'"
            )

    def tell(self, line: str) -> None:
        """Send a line.

        Raises:
            PlayerFailure: the process has ended.
        """
        process = self._process
        if process is None or process.stdin is None:
            raise PlayerFailure(Failing.CRASH, "the program does not run")
        try:
            process.stdin.write(line.encode() + b"\n")
        except OSError:
            raise self._crash() from None

    def hear(self, seconds: float) -> str:
        """The next line that is no comment; comments begin with ``#``.

        Raises:
            PlayerFailure: there is none in time (the process is killed), or the process has ended.
        """
        deadline = time.monotonic() + seconds
        seen = 0
        while seen <= MOST_BYTES:
            line, newline, rest = self._output.partition(b"\n")
            if newline:
                self._output = rest
                text = line.decode(errors="replace").strip()
                if text and not text.startswith("#"):
                    return text
                continue
            seen += self._read(deadline, seconds)
        self.kill()
        raise PlayerFailure(Failing.NONSENSE, "wrote without end instead of an answer")

    def stop(self) -> None:
        """Tell the program to end, and end it."""
        if self.is_running and self._process is not None:
            with contextlib.suppress(PlayerFailure):
                self.tell("quit")
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(QUIT_SECONDS)
        self.kill()

    def interrupt(self) -> None:
        """End the process from another thread; the one that waits for it finds that it crashed."""
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End the process and whatever it has started, now; does nothing where there is none."""
        if self._selector is not None:
            self._selector.close()
            self._selector = None
        if self._finalizer is not None:
            self._finalizer()
            self._finalizer = None
        self._process = None

    def _read(self, deadline: float, seconds: float) -> int:
        """Wait for output and take it; the number of bytes on standard output."""
        if self._selector is None:
            raise PlayerFailure(Failing.CRASH, "the program does not run")
        left = deadline - time.monotonic()
        ready = self._selector.select(max(left, 0.0))
        if not ready and left <= 0:
            self.kill()
            raise PlayerFailure(Failing.TIME, f"no answer within {seconds:g} s")
        count = 0
        for key, _ in ready:
            piece = os.read(key.fd, MOST_BYTES)
            if self._process is not None and key.fileobj is self._process.stderr:
                self._errors = (self._errors + piece)[-ERROR_BYTES:]
                if not piece:
                    self._selector.unregister(key.fileobj)
            elif piece:
                self._output += piece
                count += len(piece)
            else:
                raise self._crash()
        return count

    def _crash(self) -> PlayerFailure:
        """The process has closed its pipes: wait for its end, and say how it came."""
        process = self._process
        status: int | None = None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(QUIT_SECONDS)
            if process.stderr is not None:
                with contextlib.suppress(OSError):
                    self._errors += os.read(process.stderr.fileno(), MOST_BYTES)
        self.kill()
        return PlayerFailure(Failing.CRASH, _how_it_ended(status, self._errors))


def _end_process(process: subprocess.Popen[bytes], owner: int) -> None:
    """Kill a process with its group, wait for it, close its pipes.

    Args:
        process: the process.
        owner: the process that started it; a copy of that one, made by a fork, leaves it alone.
    """
    if os.getpid() != owner:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _how_it_ended(status: int | None, errors: bytes) -> str:
    if status is None:
        how = "closed its output"
    elif status < 0:
        how = f"was ended by signal {signal.Signals(-status).name}"
    else:
        how = f"ended with exit status {status}"
    last = errors.decode(errors="replace").strip().rpartition("\n")[2]
    return f"the program {how}" + (f": {_shortened(last)}" if last else "")


def _shortened(text: str, length: int = 200) -> str:
    """A text between quotes, cut where it is long."""
    return repr(text if len(text) <= length else text[:length] + "..")
