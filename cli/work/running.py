"""A job being worked on, from the command line's side: output, progress, summary."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.output import progress
from cli.output.render import count, duration
from cli.shell import signals
from cli.shell.streams import nobody_listening
from cli.work.drawing import drawing
from cli.work.view import content
from db.records.jobs import JobState
from workers.core.attendance import Unattended, unattended_jobs
from workers.core.following import iterate_units, read_job
from workers.core.kinds import find_kind, unit_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.lines import JsonValue
    from cli.shell.settings import Settings
    from cli.work.backend import Backend
    from cli.work.results import Results
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.core.progress import Progress


ATTENDANCE_SECONDS = 5.0
"""Between two looks whether there are workers."""

NOBODY_NOW = "The workers are gone, and nobody is at work on this: start some with c4 worker"
SOMEBODY_AGAIN = "There are workers again"


@dataclass(slots=True)
class Tally:
    """What was written."""

    lines: int = 0
    errors: int = 0
    """Lines without an answer."""
    known: int = 0
    """Answers that were stored before, or that a book had."""

    def counted(self, objects: Iterable[dict[str, JsonValue]]) -> Iterator[dict[str, JsonValue]]:
        """The objects as they come, counted."""
        for fields in objects:
            yield fields
            self.lines += 1
            self.errors += "error" in fields
            self.known += fields.get("source") in ("db", "book")


class Attendance:
    """Says it when the workers of a job are gone that somebody waits for, and when some are back.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: its number.
        backend: who works; threads of this process are here as long as somebody waits.
    """

    def __init__(
        self, settings: Settings, database: Database, job_id: int, backend: Backend
    ) -> None:
        self._settings = settings
        self._database = database
        self._job_id = job_id
        self._is_remote = backend.doorbell is not None
        self._is_idle = False
        self._next = time.monotonic() + ATTENDANCE_SECONDS

    def look(self) -> None:
        """Look, if the last time was a while ago."""
        if not self._is_remote or time.monotonic() < self._next:
            return
        with self._database.read() as session:
            is_idle = unattended_jobs(session).get(self._job_id) is Unattended.INTERRUPTED
        if is_idle != self._is_idle:
            self._settings.say(NOBODY_NOW if is_idle else SOMEBODY_AGAIN)
            self._is_idle = is_idle
        self._next = time.monotonic() + ATTENDANCE_SECONDS


def run_job(
    settings: Settings,
    database: Database,
    job_id: int,
    backend: Backend,
    results: Results | None,
) -> bool:
    """See a job to its end and say what came of it. Whether all is well.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: a job that is running.
        backend: who does the work.
        results: where the results go; None for nowhere.

    Raises:
        KeyboardInterrupt, OSError: after the job was left in order and it was told how to go on;
            the latter where the results cannot be written.
    """
    began = time.monotonic()
    tally = Tally()
    shown = progress.is_shown(settings, over_output=results is not None and results.is_stdout)
    try:
        with (
            drawing(database, job_id, shown=shown) as tell,
            backend.runner(settings, database, job_id) as runner,
        ):
            attendance = Attendance(settings, database, job_id, backend)

            def look(so_far: Progress) -> None:
                signals.check()
                attendance.look()
                if tell is not None:
                    tell(so_far)

            if results is None:
                runner.wait(look)
            else:
                results.write(tally.counted(runner.results(look)))
    except KeyboardInterrupt:
        settings.say(backend.resume_hint(database, job_id, results))
        raise
    except OSError:
        _tell_way_on(settings, database, job_id, backend, results)
        raise
    job = read_job(database, job_id)
    settings.say(summary(job, tally, time.monotonic() - began))
    return job.state is JobState.DONE and not tally.errors


def _tell_way_on(
    settings: Settings, database: Database, job_id: int, backend: Backend, results: Results | None
) -> None:
    """Say how to come by the results of a job whose output has failed: full, or nobody reads it."""
    if read_job(database, job_id).state is JobState.DONE:
        text = f"Job {job_id} is done; write its results with: c4 jobs results {job_id}"
    else:
        text = backend.resume_hint(database, job_id, results)
    with nobody_listening():
        settings.say(text)


def finish_job(
    settings: Settings, database: Database, job_id: int, backend: Backend, *, afterwards: str
) -> None:
    """See a job to its end that something is made of then, unless it is done.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: a job that is running, or done.
        backend: who does the work.
        afterwards: what to say to somebody who interrupts it.

    Raises:
        KeyboardInterrupt: after the job was left in order.
    """
    if read_job(database, job_id).state is JobState.DONE:
        settings.tell(f"job {job_id} was done before")
        return
    try:
        run_job(settings, database, job_id, backend, None)
    except KeyboardInterrupt:
        settings.say(afterwards)
        raise


def write_results(database: Database, job: JobInfo, results: Results) -> Tally:
    """Write what a job has come to so far, an object for every line of its input."""
    tally = Tally()
    units = iterate_units(database, job.id)
    results.write(tally.counted(fields for unit in units for fields in unit_objects(job, unit)))
    return tally


def tell_unanswered(settings: Settings, database: Database, job_id: int) -> bool:
    """Whether every line of a job's input has an answer; says how many have none."""
    job = read_job(database, job_id)
    kind = find_kind(job.kind)
    if kind is None or kind.count_unanswered is None:
        return True
    errors = sum(map(kind.count_unanswered, iterate_units(database, job_id)))
    if errors:
        settings.say(f"{count(errors, 'line')} without an answer")
    return not errors


def summary(job: JobInfo, tally: Tally, seconds: float) -> str:
    """One line about a job that was worked on."""
    positions = sum(job.positions.values())
    what = count(positions, content(job.kind))
    parts = [f"job {job.id} {job.state}: {what} in {duration(seconds)}"]
    if tally.known:
        parts.append(f"{tally.known:,} known before")
    parts.append(count(job.nodes, "node"))
    if tally.errors:
        parts.append(f"{count(tally.errors, 'line')} without an answer")
    parts += [f"failed: {error}" for error in job.errors]
    return ", ".join(parts)
