"""A complete service for tests: a database, a broker, and commands and workers as processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from db.database import Database
from db.jobs import watching
from db.records.jobs import JobInfo
from tests.support.running.command_line import ROOT, Result
from tests.support.running.waiting import HANG_SECONDS, await_that


@dataclass(frozen=True)
class Service:
    """Run commands in a directory, with a database and a broker in the environment."""

    directory: Path
    database_url: str
    broker_url: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of every process."""
        own = {
            "C4_DB": self.database_url,
            "C4_BROKER": self.broker_url,
            "PYTHONPATH": str(ROOT),
            "XDG_DATA_HOME": str(self.directory / "data"),
        }
        return os.environ | own

    def __call__(self, *arguments: str, stdin: str = "") -> Result:
        """Run a command until it ends."""
        done = subprocess.run(
            [sys.executable, "-m", "cli", *arguments],
            input=stdin,
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            check=False,
            text=True,
            timeout=600,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def worker(self, *options: str, name: str = "ada") -> Iterator["Process"]:
        """Start ``c4 worker``; return when it is registered in the database."""
        command = ("-v", "worker", "--table-mb=8", f"--name={name}", *options)
        with self.process("-m", "cli", *command) as process:
            await_that(lambda: name in self.workers(), process)
            yield process

    @contextmanager
    def celery_worker(self, *options: str, processes: int = 1) -> Iterator["Process"]:
        """Start a worker with Celery's own command; return when ``processes`` are registered."""
        quiet = ("--without-gossip", "--without-mingle")
        command = ["-m", "celery", "-A", "workers.app", "worker", "-n", "bob@%h", *quiet, *options]
        with self.process(*command) as process:
            await_that(lambda: len(self.workers()) >= processes, process)
            yield process

    @contextmanager
    def process(self, *arguments: str) -> Iterator["Process"]:
        """Start a Python process that is killed at the end if it still runs."""
        number = len(list(self.directory.glob("*.log")))
        log = self.directory / f"{number}.log"
        with log.open("w") as output:
            started = subprocess.Popen(
                # Tests that run in the background ignore some signals; their child processes must
                # not.
                ["env", "--default-signal=INT,HUP,TERM", sys.executable, *arguments],
                cwd=self.directory,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        try:
            yield Process(started, log)
        finally:
            started.kill()
            started.wait()

    def workers(self) -> set[str]:
        with Database.open(self.database_url) as database, database.read() as session:
            return {worker.name for worker in watching.live_workers(session)}

    def job(self, job_id: int) -> JobInfo:
        with Database.open(self.database_url) as database, database.read() as session:
            return watching.get_job(session, job_id)


@dataclass(frozen=True)
class Process:
    """A process and its output."""

    process: "subprocess.Popen[bytes]"
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(HANG_SECONDS)
