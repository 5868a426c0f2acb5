"""Working on a job: its output, its progress, and a summary in the end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.output import progress
from cli.output.render import count, duration
from cli.shell import signals
from cli.shell.streams import nobody_listening
from cli.work.job_watch import drawn
from cli.work.view import content
from db.records.jobs import JobState
from workers.core.attendance import Unattended, unattended_jobs
from workers.core.following import iterate_units, read_job
from workers.core.kinds import find_kind, unit_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from c4core.lines import JsonValue
    from cli.shell.settings import Settings
    from cli.work.backend import Backend
    from cli.work.results import Results
    from db.database import Database
    from db.records.jobs import JobInfo


ATTENDANCE_SECONDS = 5.0
"""Time between two looks whether there are workers."""

NOBODY_NOW = "The workers are gone, and nobody is at work on this: start some with c4 worker"
SOMEBODY_AGAIN = "There are workers again"


@dataclass(slots=True)
class Written:
    """How many lines of results were written."""

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
    """Says when the workers of a job are gone, and when there are some again.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: its number.
        backend: who works; threads of this process stay as long as somebody waits.
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
    results: Results | None = None,
    *,
    remark: Callable[[], str] = lambda: "",
) -> bool:
    """Work on a job to its end and say what came of it. Whether all is well.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: a job that is running.
        backend: who does the work.
        results: where the results go; None for nowhere.
        remark: what else to say beside a progress bar, asked at every look.

    Raises:
        KeyboardInterrupt: after the job was left in order and it was said how to go on.
        OSError: the results cannot be written; it was said how to go on here, too.
    """
    began = time.monotonic()
    written = Written()
    shown = progress.is_shown(settings, over_output=results is not None and results.is_stdout)
    try:
        with (
            drawn(database, read_job(database, job_id), shown=shown, remark=remark) as tell,
            backend.runner(settings, database, job_id) as runner,
        ):
            attendance = Attendance(settings, database, job_id, backend)

            def look(_state: JobState) -> None:
                signals.check()
                attendance.look()

            if results is None:
                runner.wait(tell, on_look=look)
            else:
                results.write(written.counted(runner.results(tell, on_look=look)))
    except KeyboardInterrupt:
        settings.say(backend.resume_hint(database, job_id, results))
        raise
    except OSError:
        _tell_way_on(settings, database, job_id, backend, results)
        raise
    job = read_job(database, job_id)
    settings.say(summary(job, written, time.monotonic() - began))
    return job.state is JobState.DONE and not written.errors


def finish_job(
    settings: Settings,
    database: Database,
    job_id: int,
    backend: Backend,
    *,
    makes: str,
    remark: Callable[[], str] = lambda: "",
) -> None:
    """Work on a job to its end, unless it is done; afterwards something is made of it.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: a job that is running, or done.
        backend: who does the work.
        makes: what the command makes of it, for whoever interrupts it.
        remark: as of :func:`run_job`.

    Raises:
        KeyboardInterrupt: after the job was left in order.
    """
    if read_job(database, job_id).state is JobState.DONE:
        settings.tell(f"job {job_id} was done before")
        return
    try:
        run_job(settings, database, job_id, backend, remark=remark)
    except KeyboardInterrupt:
        settings.say(f"The same command again goes on, and writes {makes} in the end.")
        raise


def _tell_way_on(
    settings: Settings, database: Database, job_id: int, backend: Backend, results: Results | None
) -> None:
    """Say how to get the results of a job whose output failed: a full disk, or a closed pipe."""
    if read_job(database, job_id).state is JobState.DONE:
        text = f"Job {job_id} is done; write its results with: c4 jobs results {job_id}"
    else:
        text = backend.resume_hint(database, job_id, results)
    with nobody_listening():
        settings.say(text)


def write_results(database: Database, job: JobInfo, results: Results) -> Written:
    """Write the results of a job, an object for every line of its input."""
    written = Written()
    units = iterate_units(database, job.id)
    results.write(written.counted(fields for unit in units for fields in unit_objects(job, unit)))
    return written


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


def summary(job: JobInfo, written: Written, seconds: float) -> str:
    """One line about a job that was worked on."""
    positions = sum(job.positions.values())
    what = count(positions, content(job.kind))
    parts = [f"job {job.id} {job.state}: {what} in {duration(seconds)}"]
    if written.known:
        parts.append(f"{written.known:,} known before")
    if job.nodes:
        parts.append(count(job.nodes, "node"))
    if written.errors:
        parts.append(f"{count(written.errors, 'line')} without an answer")
    parts += [f"failed: {error}" for error in job.errors]
    return ", ".join(parts)
