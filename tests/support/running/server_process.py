"""A server program for tests: start, stop, kill and delete it.

Each server has its own ports, so that a server of the machine is left alone. It dies with the
process that started it, however that process ends. A server can be killed, restarted on the same
port with the same data, emptied and paused.
"""

import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Self

from tests.support.running.processes import family, signal_all, wait_gone

START_SECONDS: Final = 120.0

# Choose ports below the range of outgoing connections. A client that keeps retrying a closed port
# in that range may connect to itself, and then the server cannot get its port back.
PORTS: Final = range(20_000, 32_000)


@dataclass(frozen=True)
class GivenServer:
    """A server that was running before the tests."""

    url: str


class Server(ABC):
    """A server program that runs until the end of the ``with`` block."""

    title: ClassVar[str]
    package: ClassVar[str]
    """The Debian package that contains it."""
    variable: ClassVar[str]
    """The environment variable that names a server to use instead."""
    apart: ClassVar[Sequence[str]] = ()
    """A command that runs other commands in isolation."""
    executable: ClassVar[str] = sys.executable
    versions: ClassVar[str] = ""
    """A pattern of paths below the root; the last one is preferred to the program on the path."""
    refuses_root: ClassVar[bool] = False

    def __init__(self) -> None:
        self.port = free_port()
        self.directory = Path(tempfile.mkdtemp(prefix=f"c4-{self.title.lower()}-"))
        self.data = self.directory / "data"
        self.log = self.directory / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._become: Sequence[str] = ()
        if self.refuses_root and os.geteuid() == 0:
            try:
                user = pwd.getpwnam("postgres")
            except KeyError:
                user = pwd.getpwnam("nobody")
            shutil.chown(self.directory, user.pw_uid, user.pw_gid)
            ids = (f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}")
            self._become = (*ids, "--clear-groups")

    @classmethod
    def program(cls) -> Path | None:
        """The path of the server's program, or None if it is not installed."""
        if cls.versions and (found := sorted(Path("/").glob(cls.versions))):
            return found[-1]
        other = shutil.which(cls.executable, path=f"{os.environ['PATH']}:/usr/sbin")
        return Path(other) if other else None

    @property
    def pid(self) -> int:
        """The id of its first process while it runs."""
        assert self._process is not None
        return self._process.pid

    @property
    @abstractmethod
    def url(self) -> str:
        """The URL for clients."""

    @abstractmethod
    def _command(self) -> Sequence[str | Path]:
        """The command that runs the server in the foreground."""

    @abstractmethod
    def _try(self) -> None:
        """Connect and send a query; raise an exception while the server does not answer."""

    def _program(self) -> Path:
        program = self.program()
        if program is None:
            raise RuntimeError(f"{self.title} is not installed (Debian's package {self.package})")
        return program

    def _prepare(self) -> None:
        """Create a missing data directory."""
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
        """Kill the server and delete all its data."""
        self.kill()
        shutil.rmtree(self.directory)

    def start(self) -> None:
        """Start with the existing data and wait until the server answers.

        The RuntimeError after a minute, or after its end, has the end of its log.
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
                    raise RuntimeError(f"{self.title} did not start: {error}\n{tail}") from error
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        """End the server as a machine crash does (signal 9)."""
        self.stop(signal.SIGKILL)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal that ends the server, and wait until all its processes have ended."""
        if self._process is None:
            return
        members = family(self._process.pid)
        self._process.send_signal(number)
        if number == signal.SIGKILL:
            signal_all(members, number)  # processes that serve clients would end slightly later
        self._process.wait(START_SECONDS)
        wait_gone(members, START_SECONDS)
        self._process = None

    def pause(self) -> None:
        """Pause all its processes: connections stay open, and nothing answers."""
        if self._process is not None:
            signal_all(family(self._process.pid), signal.SIGSTOP)

    def resume(self) -> None:
        """Resume it after a pause."""
        if self._process is not None:
            signal_all(family(self._process.pid), signal.SIGCONT)

    def wipe(self) -> None:
        """Restart it without any data, like a new machine."""
        self.kill()
        shutil.rmtree(self.data)
        self.start()

    def _spawn(self, *command: str | Path, **environment: str) -> subprocess.Popen[bytes]:
        """Start a process that writes to the log and ends when this process does."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*self.apart, "setpriv", "--pdeathsig", "KILL", *self._become, *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                env=os.environ | environment,
                start_new_session=True,  # Ctrl-C at the keyboard is for the tests only
            )


def free_port() -> int:
    """A port without a listener and outside the range of outgoing connections."""
    for port in random.SystemRandom().sample(PORTS, 100):
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no free port")
