"""Who does the work of a job: threads of this process, or workers that listen to a broker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.output.render import count
from cli.shell.parameters import usable_cores

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from db.database import Database
    from workers.doorbell import Doorbell
    from workers.local import LocalRunner
    from workers.remote import RemoteRunner


NOBODY = "No worker takes such jobs yet: start some with c4 worker"


@dataclass(frozen=True, slots=True)
class Hands:
    """Those that work."""

    doorbell: Doorbell | None
    """Calls the workers; None for threads of this process."""
    threads: int
    """Of this process."""
    table_mb: int
    """Size of the table that they share."""

    @classmethod
    def found(cls, settings: Settings, *, threads: int | None, table_mb: int) -> Hands:
        """Those that the options name.

        Raises:
            BrokerError: there is no such broker.
        """
        return cls(settings.open_doorbell(), threads or usable_cores(), table_mb)

    def runner(self, settings: Settings, database: Database, job_id: int) -> Runner:
        """Has the job worked on within a ``with`` block."""
        if self.doorbell is None:
            from workers.local import LocalRunner

            settings.tell(
                f"job {job_id}: {count(self.threads, 'thread')}, a table of {self.table_mb} MB"
            )
            return LocalRunner(database, job_id, threads=self.threads, table_mb=self.table_mb)
        from workers.remote import RemoteRunner

        runner = RemoteRunner(database, job_id, self.doorbell)
        if not runner.has_workers():
            settings.say(NOBODY)
        return runner

    def call(self, database: Database, job_id: int) -> None:
        """Let workers begin with a job that nobody is going to watch, if there are workers."""
        if self.doorbell is not None:
            from workers.remote import call_workers

            call_workers(database, self.doorbell, job_id)

    def farewell(self, job_id: int) -> str:
        """What to say to somebody who leaves before the job has ended."""
        if self.doorbell is None:
            return f"What is done is kept; go on with: c4 jobs resume {job_id}"
        return f"The workers go on; look at it with: c4 jobs watch {job_id}"


if TYPE_CHECKING:
    Runner = LocalRunner | RemoteRunner
