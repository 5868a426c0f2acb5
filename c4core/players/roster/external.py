"""``exec``, ``kaggle``, ``python``: programs as players. No program is started without consent.

A program plays in a process of its own, which exchanges lines of text with this one. Every wait has
a timeout, even the wait until the program reads its input. The program may hang, not read its
input, crash or flood its output. Each of these raises :class:`PlayerFailure`, and the process group
is killed, with all processes that the program has started in it. docs/players.md describes the
protocol.

When a process has ended, its group is killed before the process is reaped. Until then, no other
process can get its process ID, which is also the group's ID.
"""

import contextlib
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
import weakref
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import c4core
from c4core.dice import Dice
from c4core.players import host
from c4core.players.errors import Failing, PlayerError, PlayerFailure, StopPlaying, is_exhaustion
from c4core.players.parameters import Resource
from c4core.players.player import NO_LIMITS, NO_PROGRAM, Consent, GameStart, Limits, Player
from c4core.players.registry import player_of_argument
from c4core.players.stopping import Stop
from c4core.position import Position

PROTOCOL: Final = 1

START_SECONDS: Final = 20.0
"""Seconds for a program to start and report that it is ready, even on a busy machine."""

QUIT_SECONDS: Final = 1.0
"""Seconds for a program to end after ``quit``."""

DEFAULT_SECONDS: Final = 60.0
"""Seconds for a move in games without a limit: a program that hangs must not block the match."""

MAX_BYTES: Final = 64 * 1024
"""The limit in bytes of output without an answer, and of input that the program has not read."""

ERROR_BYTES: Final = 2000
"""The number of bytes kept from the end of standard error, which often has the cause of a crash."""

POLL_SECONDS: Final = 0.05
"""Seconds between two checks whether the answer is still needed."""

END_POLL_SECONDS: Final = 0.005
"""Seconds between two checks whether a program has ended."""

PASSED_ON: Final = frozenset(
    {
        "HOME",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "LOGNAME",
        "PATH",
        "PYTHONPATH",
        "SHELL",
        "TEMP",
        "TERM",
        "TMP",
        "TMPDIR",
        "TZ",
        "USER",
    }
)
"""The environment variables that are passed on to programs, if this process has them.

A list of variables to leave out would be incomplete, because no list has all names of secrets
(such as ``C4_DB``, ``PGPASSWORD`` and ``AWS_SECRET_ACCESS_KEY``). A description can set more
variables: ``exec:env NAME=VALUE PROGRAM``.
"""

LOCALE: Final = "LC_"
"""The prefix of other environment variables that are passed on."""

_SIGNALS: Final = {int(number): number.name for number in signal.Signals}
"""The names of signals. Real-time signals have numbers only."""


def program_environment() -> dict[str, str]:
    """Return the part of this process's environment that is passed on to programs."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith(LOCALE)
    }


class Program:
    """A process, and the lines to and from it."""

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None
    ) -> None:
        self._command = tuple(command)
        self._environment = program_environment() if environment is None else dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._selector: selectors.BaseSelector | None = None
        self._finalizer: weakref.finalize[[subprocess.Popen[bytes], int], Program] | None = None
        self._input = b""  # lines that the program has not read yet
        self._output = b""
        self._errors = b""

    @property
    def is_running(self) -> bool:
        """Whether the process was started and has not ended."""
        return self._process is not None and not _has_ended(self._process)

    @property
    def pid(self) -> int | None:
        """The process ID, or None without a process."""
        return None if self._process is None else self._process.pid

    def start(self, stop: Stop | None = None) -> None:
        """Start the process, unless it is running, and exchange greetings."""
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
            if is_exhaustion(error):
                raise
            raise PlayerFailure(
                Failing.CRASH, f"{self._command[0]} cannot be started: {error.strerror}"
            ) from None
        self._process = process
        # The process ends with this object or the interpreter, even if it is not closed.
        self._finalizer = weakref.finalize(self, _end_process, process, os.getpid())
        try:
            answer = self._greet(process, stop)
        except BaseException:  # a process must not be used before its greeting
            self.kill()
            raise
        if answer.split(maxsplit=1)[:1] != ["ready"]:
            self.kill()
            raise PlayerFailure(Failing.NONSENSE, f"sent {_shortened(answer)} instead of 'ready'")

    def _greet(self, process: subprocess.Popen[bytes], stop: Stop | None) -> str:
        """Set up the pipes of a new process, and send the first line. Returns the answer."""
        self._selector = selectors.DefaultSelector()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None  # noqa: S101  (Popen made all of them)
            os.set_blocking(pipe.fileno(), False)
            if pipe is not process.stdin:
                self._selector.register(pipe, selectors.EVENT_READ)
        self._input = self._output = self._errors = b""
        self.tell(f"c4 {PROTOCOL}")
        return self.hear(START_SECONDS, stop)

    def tell(self, line: str) -> None:
        """Send a line without waiting; :meth:`hear` sends the part that is not read at once."""
        self._input += line.encode() + b"\n"
        self._send()
        if len(self._input) > MAX_BYTES:
            self.kill()
            raise PlayerFailure(Failing.NONSENSE, "does not read its input")

    def hear(self, seconds: float, stop: Stop | None = None) -> str:
        """Return the next line but comments (``#``), after the program has read all input."""
        deadline = time.monotonic() + seconds
        seen = 0
        while seen <= MAX_BYTES:
            if stop is not None and stop.is_set:  # the time is checked below
                self.kill()
                raise StopPlaying
            if self._input:
                seen += self._exchange(deadline, seconds)
                continue
            line, newline, rest = self._output.partition(b"\n")
            if newline:
                self._output = rest
                text = line.decode(errors="replace").strip()
                if text and not text.startswith("#"):
                    return text
                continue
            seen += self._exchange(deadline, seconds)
        self.kill()
        raise PlayerFailure(Failing.NONSENSE, "wrote too much output without an answer")

    def stop(self) -> None:
        """Tell the program to end, and kill it if it does not."""
        if self.is_running and self._process is not None:
            with contextlib.suppress(PlayerFailure):
                self.tell("quit")
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
            _await_end(self._process)
        self.kill()

    def kill(self) -> None:
        """Kill the process and its group now, if there is a process."""
        if self._selector is not None:
            self._selector.close()
            self._selector = None
        if self._finalizer is not None:
            self._finalizer()
            self._finalizer = None
        self._process = None

    def _send(self) -> None:
        """Write as much of the input as the program's pipe accepts now."""
        process = self._process
        if process is None or process.stdin is None or self._selector is None:
            raise PlayerFailure(Failing.CRASH, "the program is not running")
        try:
            taken = os.write(process.stdin.fileno(), self._input)
        except BlockingIOError:
            taken = 0
        except OSError:
            raise self._crash("input") from None
        self._input = self._input[taken:]
        is_watched = process.stdin in self._selector.get_map()
        if self._input and not is_watched:
            self._selector.register(process.stdin, selectors.EVENT_WRITE)
        elif is_watched and not self._input:
            self._selector.unregister(process.stdin)

    def _exchange(self, deadline: float, seconds: float) -> int:
        """Wait a little for the program to read or write. Returns the number of bytes of output."""
        if self._selector is None:
            raise PlayerFailure(Failing.CRASH, "the program is not running")
        left = deadline - time.monotonic()
        ready = self._selector.select(min(max(left, 0.0), POLL_SECONDS))
        # Output on standard error must not extend the timeout, or a program could go on for ever.
        is_heard = any(key.fileobj is not self._stderr() for key, _ in ready)
        if left <= 0 and not is_heard:
            self.kill()
            why = "does not read its input" if self._input else "no answer"
            raise PlayerFailure(Failing.TIME, f"{why} within {seconds:g} s")
        count = 0
        for key, events in ready:
            if events & selectors.EVENT_WRITE:
                self._send()
                continue
            piece = os.read(key.fd, MAX_BYTES)
            if key.fileobj is self._stderr():
                self._errors = (self._errors + piece)[-ERROR_BYTES:]
                if not piece:
                    self._selector.unregister(key.fileobj)
            elif piece:
                self._output += piece
                count += len(piece)
            else:
                raise self._crash("output")
        return count

    def _stderr(self) -> object:
        return None if self._process is None else self._process.stderr

    def _crash(self, pipe: str) -> PlayerFailure:
        """Wait for the exit status of a process that closed a pipe, and return its error."""
        process = self._process
        status: int | None = None
        if process is not None:
            has_ended = _await_end(process)
            if process.stderr is not None:
                with contextlib.suppress(OSError):
                    self._errors += os.read(process.stderr.fileno(), MAX_BYTES)
            self.kill()
            status = process.returncode if has_ended else None
        return PlayerFailure(Failing.CRASH, _how_it_ended(status, pipe, self._errors))


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended. It is not reaped if the system has ``waitid``."""
    if process.returncode is not None:
        return True
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # other code has reaped it
        return True


def _await_end(process: subprocess.Popen[bytes]) -> bool:
    """Wait for a process to end by itself. Returns whether it did so in time."""
    deadline = time.monotonic() + QUIT_SECONDS
    while not _has_ended(process) and time.monotonic() < deadline:
        time.sleep(END_POLL_SECONDS)
    return _has_ended(process)


def _end_process(process: subprocess.Popen[bytes], owner: int) -> None:
    """Kill a process with its group, wait for it, and close its pipes.

    Only the process ``owner``, which started the program, does this; its forks return at once.
    """
    if os.getpid() != owner:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    # Even SIGKILL does not end a process that hangs in the kernel, so the wait has a timeout.
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(QUIT_SECONDS)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _how_it_ended(status: int | None, pipe: str, errors: bytes) -> str:
    if status is None:
        how = f"closed its {pipe}"
    elif status < 0:
        how = f"was ended by signal {_SIGNALS.get(-status, -status)}"
    else:
        how = f"ended with exit status {status}"
    last = errors.decode(errors="replace").strip().rpartition("\n")[2]
    return f"the program {how}" + (f": {_shortened(last)}" if last else "")


def _shortened(text: str, length: int = 200) -> str:
    return repr(text if len(text) <= length else text[:length] + "..")


SOURCE = "yours"

_ANSWER = re.compile(r"play (-?[0-9]{1,9})")


@dataclass(slots=True)
class _Seat:
    """Holds a player's process, which starts when a game begins."""

    program: Program | None = None


@dataclass(frozen=True)
class ExternalPlayer(Player):
    """A player in a process of its own: if the program fails, only the player fails.

    Attributes:
        argument: the program.
        programs: consent to start programs.
    """

    argument: str
    programs: Annotated[Consent, Resource()] = field(
        default=NO_PROGRAM, kw_only=True, compare=False, repr=False
    )
    _seat: _Seat = field(default_factory=_Seat, init=False, repr=False, compare=False)

    is_random = True  # the program may be random
    reads_files = True
    is_program = True

    @abstractmethod
    def command(self) -> Sequence[str]:
        """The program and its arguments."""

    def environment(self) -> Mapping[str, str] | None:
        return None

    def begin(self, game: GameStart) -> None:
        """Start the program if it is not running, and tell it about the game."""
        self.programs.check(self.kind.spec_of(self).full)
        if self._seat.program is None:
            self._seat.program = Program(self.command(), environment=self.environment())
        self._seat.program.start(game.stop)
        self._seat.program.tell(f"new {game.board} {game.side} {game.seed}")

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """Ask the program for a column."""
        if self._seat.program is None:
            self.begin(GameStart(position.board, position.turn, dice.below(2**31), limits.stop))
        program = self._seat.program
        assert program is not None  # noqa: S101  (made by begin)
        seconds = "-" if limits.seconds is None else f"{limits.seconds:.3f}"
        program.tell(f"go {seconds} {str(position).replace(chr(10), '/')}")
        answer = program.hear(
            DEFAULT_SECONDS if limits.seconds is None else limits.seconds + limits.grace,
            limits.stop,
        )
        if answer.startswith("fail"):
            raise PlayerFailure(Failing.ERROR, answer.removeprefix("fail").strip())
        match = _ANSWER.fullmatch(answer)
        if match is None:
            program.kill()  # its next lines may be out of step; the next game starts a new process
            raise PlayerFailure(Failing.NONSENSE, f"answered {answer[:200]!r}")
        return int(match[1]) - 1

    def end(self, result: str) -> None:
        """Tell the program how the game ended, if it is still running."""
        if self._seat.program is not None and self._seat.program.is_running:
            self._seat.program.tell(f"end {result}")

    def abandon(self) -> None:
        if self._seat.program is not None:
            self._seat.program.kill()

    def close(self) -> None:
        if self._seat.program is not None:
            self._seat.program.stop()
            self._seat.program = None


class _Hosted(ExternalPlayer):
    """Python code that a host runs in a process of its own."""

    def command(self) -> Sequence[str]:
        """The host and the code that it runs."""
        # Unbuffered, so that the code's output comes before the error message of a crash.
        return (sys.executable, "-u", "-m", host.__name__, self.kind.name, self.argument)

    def environment(self) -> Mapping[str, str]:
        """The environment, with the path to this process's modules, including the host."""
        inherited = program_environment()
        places = [str(Path(c4core.__file__).parents[1]), inherited.get("PYTHONPATH", "")]
        return inherited | {"PYTHONPATH": os.pathsep.join(filter(None, places))}


@player_of_argument("exec", "COMMAND", source=SOURCE)
class Exec(ExternalPlayer):
    """Any program that speaks the line protocol on its standard input and output."""

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            words = shlex.split(self.argument)
        except ValueError as error:
            raise PlayerError(
                f"player exec: the command {self.argument!r} cannot be read: {error}",
                player="exec",
            ) from None
        if not words or shutil.which(words[0]) is None:
            raise PlayerError(
                f"player exec: no program is called {words[0] if words else ''!r}", player="exec"
            )

    def command(self) -> Sequence[str]:
        return shlex.split(self.argument)


@player_of_argument("kaggle", "FILE.py", source=SOURCE)
class Kaggle(_Hosted):
    """A Kaggle ConnectX agent: agent(observation, configuration) in a Python file."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not os.path.isfile(self.argument):  # noqa: PTH113 (Path.is_file raises for a long name)
            raise PlayerError(f"player kaggle: there is no file {self.argument}", player="kaggle")


@player_of_argument("python", "module:callable", source=SOURCE)
class Python(_Hosted):
    """A Python callable that takes (position, dice, limits) and returns a 0-based column."""

    def __post_init__(self) -> None:
        super().__post_init__()
        module, colon, name = self.argument.partition(":")
        if not (colon and module and name.isidentifier()):
            raise PlayerError(
                f"player python: {self.argument!r} is not module:callable", player="python"
            )
