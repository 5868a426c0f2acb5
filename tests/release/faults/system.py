"""The whole system for one scenario: a database, a broker, supervised workers, and one job."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

import psycopg

from tests.release.faults.ledger import Ledger

ROOT: Final = Path(__file__).parents[3]
TICK_SECONDS: Final = 0.02
COMMAND_SECONDS: Final = 300
"""No command of a test takes as long."""


class SupervisedWorker:
    """A worker process that is started again whenever it ends, as a service manager does.

    Args:
        label: what it is called; its number of starts is added, for every process is another.
        log: where it writes what it has to say.
        environment: of the process.
    """

    def __init__(self, label: str, log: Path, environment: dict[str, str]) -> None:
        self.label = label
        self._log = log
        self._environment = os.environ | environment
        self.starts = 0
        self.restarts_unasked = 0
        """How often it has ended though nobody has done anything to it."""
        self._is_to_end = False
        self.start()

    @property
    def name(self) -> str:
        """Of the process that is running."""
        return f"{self.label}.{self.starts}"

    def start(self) -> None:
        """Start the process."""
        self.starts += 1
        self._is_to_end = False
        command = [sys.executable, "-m", "cli", "worker", "--threads=1", "--table-mb=16"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command, f"--name={self.name}"],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def tend(self) -> None:
        """Start it again if it has ended."""
        if self._process.poll() is not None:
            self.restarts_unasked += not self._is_to_end
            self.start()

    def kill(self) -> None:
        """End it as a crash does."""
        self._is_to_end = True
        self._process.kill()
        self._process.wait()

    def ask_to_end(self) -> None:
        """Send SIGTERM."""
        self._is_to_end = True
        self._process.terminate()

    def await_end(self) -> int:
        """Its exit code."""
        return self._process.wait(timeout=30)

    def freeze(self) -> None:
        """Stop it where it is."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def log_tail(self) -> str:
        """The end of what it has said."""
        return f"--- {self.label}\n{self._log.read_text(errors='replace')[-4000:]}"


class System:
    """Everything that works on one job.

    Args:
        database_url: of a database with C4's tables and nothing in them.
        broker_url: of a broker without messages.
        directory: for files.
        reach: the workers' way to the database: its URL from the usual one.
        worker_environments: what is added to the workers' environment.
    """

    def __init__(
        self,
        database_url: str,
        broker_url: str,
        directory: Path,
        *,
        reach: Callable[[str], str] = lambda url: url,
        worker_environments: Sequence[dict[str, str]] = ({}, {}),
    ) -> None:
        self.environment = {"C4_DB": database_url, "C4_BROKER": broker_url, "PYTHONPATH": str(ROOT)}
        self.ledger = Ledger(database_url)
        self.directory = directory
        self.workers: list[SupervisedWorker] = []
        self._worker_url = reach(database_url)
        self._worker_environments = worker_environments

    def __enter__(self) -> Self:
        try:
            for environment in self._worker_environments:
                self.start_worker(environment)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        for worker in self.workers:
            worker.kill()

    def start_worker(self, environment: dict[str, str]) -> None:
        """Start one more worker."""
        label = f"worker{len(self.workers)}"
        way = self.environment | {"C4_DB": self._worker_url} | environment
        self.workers.append(SupervisedWorker(label, self.directory / f"{label}.log", way))

    def command(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
        """Run ``c4``, which ends with one of some codes; what it writes to its output."""
        done = subprocess.run(
            [sys.executable, "-m", "cli", *arguments],
            cwd=ROOT,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert done.returncode in codes, done.stderr
        return done.stdout

    def submit(self, games: Sequence[str]) -> int:
        """Make a job of games, scores only; its number."""
        batch = self.directory / "games"
        batch.write_text("\n".join(games))
        return int(self.command("analyze", "--score-only", "--detach", str(batch)))

    def wait(self, seconds: float) -> None:
        """Let time pass, with the workers looked after."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._tick()

    def wait_until(self, condition: Callable[[], bool], what: str, seconds: float = 120) -> None:
        """Wait for something, with the workers looked after. Survives a database that is away.

        Raises:
            TimeoutError: it has not come true in that time; with the ends of the workers' logs.
        """
        deadline = time.monotonic() + seconds
        while True:
            self._tick()
            with suppress(psycopg.OperationalError):
                if condition():
                    return
            if time.monotonic() > deadline:
                raise TimeoutError(
                    "\n".join([f"not in {seconds} s: {what}", self.state(), *self._logs()])
                )

    def wait_for_work(self, worker: SupervisedWorker | None = None) -> None:
        """Wait until a worker, or each of them, holds a unit."""
        for each in [worker] if worker else self.workers:
            self.wait_until(lambda each=each: self.ledger.is_working(each.name), "a unit is held")

    def wait_for_last_work(self) -> SupervisedWorker:
        """Wait until no unit waits for a worker; one that works."""
        working: list[SupervisedWorker] = []

        def is_so_far() -> bool:
            if self.ledger.units().get("queued"):
                return False
            working[:] = [each for each in self.workers if self.ledger.is_working(each.name)]
            return bool(working)

        self.wait_until(is_so_far, "the last units are held")
        return working[0]

    def wait_for_end(self, job_id: int, seconds: float = 180) -> None:
        """Wait until the job has come to its end."""
        self.wait_until(
            lambda: self.ledger.job_state(job_id) not in ("planning", "running"),
            f"job {job_id} ends",
            seconds,
        )

    def state(self) -> str:
        """How far everything is, for people."""
        with suppress(psycopg.OperationalError):
            return f"units: {self.ledger.units()}, processes started: " + ", ".join(
                f"{worker.name}" for worker in self.workers
            )
        return "the database does not answer"

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Show the ends of the workers' logs when something goes wrong."""
        try:
            yield
        except Exception as error:
            error.add_note("\n".join(self._logs()))
            raise

    def _logs(self) -> list[str]:
        return [worker.log_tail() for worker in self.workers]

    def _tick(self) -> None:
        for worker in self.workers:
            worker.tend()
        time.sleep(TICK_SECONDS)
