"""The complete system for one scenario: a database, a broker, supervised workers, and a job."""

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

from db.database import Database
from tests.release.faults.ledger import Ledger
from tests.support.running.service import Service
from tests.support.units import job_of_games
from workers.answers.question import Question
from workers.celery.broker import Broker
from workers.core.kinds import Lane

ROOT: Final = Path(__file__).parents[3]
TICK_SECONDS: Final = 0.02


class SupervisedWorker:
    """A worker process that is restarted whenever it ends, as by a service manager.

    Its name is the label and the number of starts, because each process is a new worker.
    """

    def __init__(self, label: str, log: Path, environment: dict[str, str]) -> None:
        self.label = label
        self._log = log
        self._environment = environment
        self.starts = 0
        self.restarts_unasked = 0
        """Number of times that it ended without a fault."""
        self.start()

    @property
    def name(self) -> str:
        return f"{self.label}.{self.starts}"

    def start(self) -> None:
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
        if self._process.poll() is not None:
            self.restarts_unasked += not self._is_to_end
            self.start()

    def kill(self) -> None:
        self._is_to_end = True
        self._process.kill()
        self._process.wait()

    def end(self) -> int:
        """Ask it to end, and wait; return the exit code."""
        self._is_to_end = True
        self._process.terminate()
        return self._process.wait(timeout=30)

    def freeze(self) -> None:
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def log_tail(self) -> str:
        return f"--- {self.label}\n{self._log.read_text(errors='replace')[-4000:]}"


class System:
    """All processes that work on one job, in an empty database and with an empty broker.

    ``reach`` makes the workers' database URL from the usual one.
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
        self.service = Service(directory, database_url, broker_url)
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
        label = f"worker{len(self.workers)}"
        way = self.service.environment | {"C4_DB": self._worker_url} | environment
        self.workers.append(SupervisedWorker(label, self.directory / f"{label}.log", way))

    def command(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
        """Run ``c4``, check its exit code, and return its output."""
        done = self.service(*arguments)
        assert done.code in codes, done.err
        return done.out

    def submit(self, games: Sequence[str], unit_lines: int) -> int:
        """Submit a batch, as ``c4 analyze --score-only --detach`` with smaller units."""
        question = Question(columns=False)
        with Database.open(self.service.database_url) as database:
            job_id = job_of_games(database, games, question=question, unit_lines=unit_lines)
        Broker(self.service.broker_url).wake(Lane.BULK)
        return job_id

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._tick()

    def wait_until(self, condition: Callable[[], bool], what: str, seconds: float = 120) -> None:
        """Wait for a condition while supervising the workers; the database may be unreachable."""
        deadline = time.monotonic() + seconds
        while True:
            self._tick()
            with suppress(psycopg.OperationalError):
                if condition():
                    return
            if time.monotonic() > deadline:
                raise TimeoutError(f"no success in {seconds} s: {what}\n{self.state()}")

    def wait_for_work(self, worker: SupervisedWorker | None = None) -> None:
        """Wait until any worker, or each of them, holds a unit."""
        for each in [worker] if worker else self.workers:
            self.wait_until(lambda each=each: self.ledger.is_working(each.name), "a unit is held")

    def freeze_at_work(self, worker: SupervisedWorker | None = None) -> SupervisedWorker:
        """Freeze a worker while it holds a unit, which it cannot complete any more.

        Without ``worker``, one that holds one of the last units.
        """
        while True:
            if worker is None:
                (victim, *_) = self.wait_for_busy(at_the_end=True)
            else:
                victim = worker
                self.wait_for_work(victim)
            victim.freeze()
            if self.ledger.is_working(victim.name):
                return victim
            victim.thaw()

    def wait_for_busy(self, *, at_the_end: bool = False) -> list[SupervisedWorker]:
        """Wait until workers are busy, at the end with the last units; return the busy ones."""
        busy: list[SupervisedWorker] = []

        def is_so_far() -> bool:
            if not (at_the_end and self.ledger.units().get("queued")):
                busy[:] = [each for each in self.workers if self.ledger.is_working(each.name)]
            return bool(busy)

        self.wait_until(is_so_far, "a unit is held")
        return busy

    def wait_for_end(self, job_id: int) -> None:
        going = ("planning", "running")
        self.wait_until(
            lambda: self.ledger.job_state(job_id) not in going, f"job {job_id} ends", seconds=180
        )

    def state(self) -> str:
        with suppress(psycopg.OperationalError):
            started = ", ".join(worker.name for worker in self.workers)
            return f"units: {self.ledger.units()}, processes started: {started}"
        return "the database does not answer"

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Show the ends of the workers' logs if an error occurs."""
        try:
            yield
        except Exception as error:
            error.add_note("\n".join(worker.log_tail() for worker in self.workers))
            raise

    def _tick(self) -> None:
        for worker in self.workers:
            worker.tend()
        time.sleep(TICK_SECONDS)
