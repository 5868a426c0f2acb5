"""A server program for tests: how any is started, stopped, killed and thrown away.

Each has ports of its own, so that a server of the machine is left alone, and dies with the process
that started it, whatever ends that one. One can be killed, started again on the same port with the
same data, emptied and paused.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Self

from tests.support.running.processes import family, signal_all, wait_gone

if TYPE_CHECKING:
    import pwd
    from collections.abc import Sequence

START_SECONDS: Final = 120.0

# Below the ports that connections get: a client that keeps trying a closed port from among those is
# in the end connected to itself, and then the server cannot have its port back.
PORTS: Final = range(20_000, 32_000)


@dataclass(frozen=True)
class GivenServer:
    """A server that was running before the tests."""

    url: str


class Server(ABC):
    """A server program that is running between ``with`` and its end."""

    title: ClassVar[str]
    package: ClassVar[str]
    """The Debian package that has it."""
    variable: ClassVar[str]
    """The environment variable that names a server to be used instead."""
    apart: ClassVar[Sequence[str]] = ()
    """A command that runs others in a place of their own."""

    def __init__(self) -> None:
        self.port = free_port()
        self.directory = Path(tempfile.mkdtemp(prefix=f"c4-{self.title.lower()}-"))
        self.data = self.directory / "data"
        self.log = self.directory / "log"
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    @abstractmethod
    def program(cls) -> Path | None:
        """Where the server's program is, or None when it is not installed."""

    @property
    def pid(self) -> int:
        """The number of its first process, while it runs."""
        assert self._process is not None
        return self._process.pid

    @property
    @abstractmethod
    def url(self) -> str:
        """What clients connect to."""

    @abstractmethod
    def _command(self) -> Sequence[str | Path]:
        """What runs the server in the foreground."""

    @abstractmethod
    def _try(self) -> None:
        """Connect and ask something.

        Raises:
            Exception: the server does not answer (yet).
        """

    def _program(self) -> Path:
        program = self.program()
        if program is None:
            raise RuntimeError(f"{self.title} is not installed (Debian's package {self.package})")
        return program

    def _prepare(self) -> None:
        """Make a data directory that is not there."""
        self.data.mkdir()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the server and delete all that it had."""
        self.kill()
        shutil.rmtree(self.directory)

    def start(self) -> None:
        """Start with the data that there are and wait until the server answers.

        Raises:
            RuntimeError: it has ended, or is not up in a minute; with the end of its log.
        """
        if not self.data.exists():
            self._prepare()
        self._process = self._spawn(*self._command())
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self._try()
            except Exception as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    tail = self.log.read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"{self.title} does not start: {error}\n{tail}") from error
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """End the server as a crash of its machine does (signal 9)."""
        self.stop(signal.SIGKILL)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal that ends the server, and wait for the end of all its processes."""
        if self._process is None:
            return
        members = family(self._process.pid)
        self._process.send_signal(number)
        if number == signal.SIGKILL:
            signal_all(members, number)  # those that serve a client would end a little later
        self._process.wait(START_SECONDS)
        wait_gone(members, START_SECONDS)
        self._process = None

    def pause(self) -> None:
        """Stop all of its processes where they are: connections stay, nothing answers."""
        if self._process is not None:
            signal_all(family(self._process.pid), signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after a pause."""
        if self._process is not None:
            signal_all(family(self._process.pid), signal.SIGCONT)

    def wipe(self) -> None:
        """Bring it back without any of its data, as a new machine would be."""
        self.kill()
        shutil.rmtree(self.data)
        self.start()

    def _spawn(self, *command: str | Path, **environment: str) -> subprocess.Popen[bytes]:
        """A process that writes to the log and ends when this one does."""
        user = self._user()
        become = () if user is None else (f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}")
        groups = () if user is None else ("--clear-groups",)
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*self.apart, "setpriv", "--pdeathsig", "KILL", *become, *groups, *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                env=os.environ | environment,
                start_new_session=True,  # an interrupt from the keyboard is for the tests alone
            )

    def _user(self) -> pwd.struct_passwd | None:
        """Whom the server runs as, if not as the user who runs the tests."""
        return None


def free_port() -> int:
    """A port that nothing listens on and that no connection is given."""
    for port in random.SystemRandom().sample(PORTS, 100):
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no free port")
