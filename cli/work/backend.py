"""Who works on a job: threads of this process, or workers that listen to a broker."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.players.player import NO_PROGRAM, Consent
from cli.output.render import count
from cli.shell.parameters import usable_cores

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from cli.work.results import Results
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.broker.doorbell import Doorbell
    from workers.runners.local import LocalRunner
    from workers.runners.remote import RemoteRunner


NOBODY = "No worker takes such jobs yet: start some with c4 worker"

WITHOUT_MESSAGES: Final = (
    "Warning: {trouble}. Running workers ask the database for work meanwhile, so the job goes on."
)

NOBODY_MAY: Final = (
    "A player is a program, and no worker may start it yet: start some with "
    "c4 worker --allow-programs"
)


@dataclass(frozen=True, slots=True)
class Backend:
    """Those that work on jobs."""

    doorbell: Doorbell | None
    """Calls the workers; None for threads of this process."""
    threads: int
    """Of this process."""
    table_mb: int
    """Size of the table that they share."""
    programs: Consent = NO_PROGRAM
    """Which programs threads of this process may start as players; workers have consent of their
    own."""
    priority: int | None = None
    """The priority that the jobs get; None leaves it as it is."""

    @classmethod
    def found(
        cls,
        settings: Settings,
        *,
        threads: int | None,
        table_mb: int,
        programs: Consent = NO_PROGRAM,
    ) -> Backend:
        """The backend that the options name.

        Raises:
            BrokerUrlError, BrokerUnreachableError: there is no such broker.
        """
        doorbell = settings.open_doorbell()
        return cls(doorbell, threads or usable_cores(), table_mb, programs, settings.priority)

    def runner(self, settings: Settings, database: Database, job_id: int) -> Runner:
        """A context within which the job is worked on."""
        self._set_priority(database, job_id)
        if self.doorbell is None:
            from workers.runners.local import LocalRunner

            settings.tell(
                f"job {job_id}: {count(self.threads, 'thread')}, a table of {self.table_mb} MB"
            )
            return LocalRunner(
                database,
                job_id,
                threads=self.threads,
                table_mb=self.table_mb,
                programs=self.programs,
            )
        from workers.runners.remote import RemoteRunner

        runner = RemoteRunner(
            database,
            job_id,
            self.doorbell,
            on_trouble=lambda trouble: settings.say(WITHOUT_MESSAGES.format(trouble=trouble)),
        )
        if not runner.has_consent():
            settings.say(NOBODY_MAY)
        elif not runner.has_workers():
            settings.say(NOBODY)
        return runner

    def check_consent(self, database: Database, job: JobInfo) -> None:
        """Refuse a job whose programs this process may not start, while the job is as it was.

        Raises:
            ProgramRefusedError: names one of them.
        """
        if self.doorbell is None:
            from workers.matches.programs import check_consent

            check_consent(database, job, self.programs)

    def call(self, settings: Settings, database: Database, job_id: int) -> None:
        """Let workers, if there are any, begin with a job that nobody watches."""
        self._set_priority(database, job_id)
        if self.doorbell is not None:
            from workers.runners.remote import call_workers

            trouble = call_workers(database, self.doorbell, job_id)
            if trouble is not None:
                settings.say(WITHOUT_MESSAGES.format(trouble=trouble))

    def _set_priority(self, database: Database, job_id: int) -> None:
        if self.priority is not None:
            from db.jobs import set_priority

            priority = self.priority
            database.run(lambda session: set_priority(session, job_id, priority))

    def resumption(self, job_id: int) -> str:
        """The command that goes on with a job in threads of its own, with the same consent."""
        option = "" if self.programs == NO_PROGRAM else " --allow-programs"
        return f"c4 jobs resume {job_id}{option}"

    def resume_hint(self, database: Database, job_id: int, results: Results | None = None) -> str:
        """What to say to somebody who leaves before the job has ended: who goes on, and how.

        Args:
            database: where the job lives.
            job_id: its number.
            results: where its results were being written, if anywhere.
        """
        if self.doorbell is None:
            output = "" if results is None else f" {results.options}"
            return f"What is done is kept; go on with: {self.resumption(job_id)}{output}"
        who = "The job waits for workers" if _is_left(database, job_id) else "The workers go on"
        return f"{who}; look at it with: c4 jobs watch {job_id}"

    def heirs(self) -> str:
        """Who is left with a job that this process does not wait for."""
        return "other processes" if self.doorbell is None else "the workers"


def _is_left(database: Database, job_id: int) -> bool:
    """Whether nobody is there to go on with a job; False where the database cannot tell."""
    from db.errors import StorageError
    from workers.core.attendance import unattended_jobs

    with suppress(StorageError), database.read() as session:
        return job_id in unattended_jobs(session)
    return False


if TYPE_CHECKING:
    Runner = LocalRunner | RemoteRunner
