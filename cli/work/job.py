"""A command's job: its backend, progress, results, and the summary at the end."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final, Literal, cast

import click

from c4core.estimate import estimate
from c4core.players.player import NO_PROGRAM, Consent
from cli.output import progress
from cli.output.formats import (
    ENDINGS,
    STANDARD_OUTPUT,
    check_parquet,
    format_by_ending,
    format_of_file,
    opened,
    write_object,
    write_rows,
)
from cli.output.render import duration, guess
from cli.shell.process import check_signals, echo, ignoring_closed_stderr
from cli.work.view import JobLine, content, drawn_progress, tree_line
from db.errors import StorageError
from db.jobs.control import set_priority
from db.records.jobs import JobState, UnitState
from workers.answers.lines import ROW_NAMES, as_row, result_lines
from workers.answers.question import Answer
from workers.core.follow import JobFollower, LocalRunner, iterate_units, read_job
from workers.core.kinds import (
    check_consent,
    find_kind,
    has_consent,
    has_workers,
    lane_of_job,
    unit_objects,
)
from workers.deep.task import DeepTask
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from cli.shell.parameters import Engine
    from cli.shell.settings import Settings
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.celery.broker import Broker

WORKERS_SECONDS: Final = 5.0
"""Interval between checks whether there are workers."""

NO_WORKERS: Final = "No worker takes such jobs yet: start workers with c4 worker"
WITHOUT_MESSAGES: Final = (
    "Warning: {trouble}. Running workers ask the database for work meanwhile, so the job continues."
)
NO_CONSENT: Final = (
    "A player is a program, and no worker may start it yet: start workers with "
    "c4 worker --allow-programs"
)
WORKERS_GONE: Final = (
    "The workers are gone, so no process is working on this job: start workers with c4 worker"
)
WORKERS_AGAIN: Final = "There are workers again"


@dataclass(frozen=True, slots=True)
class Backend:
    """The threads or workers that do a command's jobs."""

    broker: Broker | None
    """The broker's connection to the workers; None for threads of this process."""
    engine: Engine
    programs: Consent = NO_PROGRAM
    """Programs that threads of this process may start as players; workers have their own
    consent."""
    priority: int | None = None
    """Priority of the jobs; None leaves it unchanged."""

    @classmethod
    def found(
        cls,
        settings: Settings,
        engine: Engine,
        *,
        priority: int | None = None,
        programs: Consent = NO_PROGRAM,
    ) -> Backend:
        """Make the backend from the options."""
        return cls(settings.open_broker(), engine, programs, priority)

    def check_consent(self, database: Database, job: JobInfo) -> None:
        """Refuse a job with programs that this process may not start, before the job is changed."""
        if self.broker is None:
            check_consent(database, job, self.programs)

    def resumption(self, job_id: int) -> str:
        """The command that resumes a job in threads of its own process, with the same consent."""
        option = "" if self.programs == NO_PROGRAM else " --allow-programs"
        return f"c4 jobs resume {job_id}{option}"

    def other_processes(self) -> str:
        """The processes to which this one leaves a job, in words."""
        return "other processes" if self.broker is None else "the workers"


@dataclass(frozen=True, slots=True)
class JobContext:
    """Runs a command's job, or leaves it to other processes."""

    settings: Settings
    database: Database
    backend: Backend

    def run(
        self,
        job_id: int,
        results: Results | None = None,
        *,
        remark: Callable[[], str] = lambda: "",
    ) -> bool:
        """Work on a running job to its end and write a summary.

        Returns whether the job is done and no result line is an error. Without ``results``, no
        results are written. After an interruption, or if the results cannot be written (OSError),
        the job can be resumed; a message says how.
        """
        began = time.monotonic()
        written = Written()
        is_over_output = results is not None and results.is_stdout
        shown = progress.is_shown(self.settings, over_output=is_over_output)
        try:
            job = read_job(self.database, job_id)
            with (
                drawn_progress(JobLine(self.database, job), shown=shown, remark=remark) as draw,
                self._runner(job_id) as runner,
            ):
                workers = _WorkerWatch(self, job_id)

                def look() -> None:
                    check_signals()
                    workers.look()

                if results is None:
                    runner.wait(draw, on_look=look)
                else:
                    found = runner.results(draw, on_look=look)
                    results.write(written.counted(found), job.board)
            job = read_job(self.database, job_id)
        except KeyboardInterrupt:
            self._say_how_far(job_id)
            self.settings.say(self.resume_hint(job_id, results))
            raise
        except (OSError, StorageError):
            self._say_how_to_continue(job_id, results)
            raise
        self.settings.say(summary(job, written, time.monotonic() - began))
        return job.state is JobState.DONE and not written.errors

    def finish(self, job_id: int, *, makes: str, remark: Callable[[], str] = lambda: "") -> None:
        """Work on a job to its end unless it is done; the command uses its results afterwards.

        ``makes`` names the command's product for a message after an interruption.
        """
        if read_job(self.database, job_id).state is JobState.DONE:
            self.settings.say_if_verbose(f"job {job_id} was done before")
            return
        try:
            self.run(job_id, remark=remark)
        except KeyboardInterrupt:
            self.settings.say(f"Give the same command again to continue and write {makes}.")
            raise

    def detach(self, job_id: int, *, as_json: bool | None = None, afterwards: str = "") -> None:
        """Leave a job to other processes, and write its number."""
        self.leave(job_id)
        if self.settings.json if as_json is None else as_json:
            write_object({"job": job_id})
        else:
            echo(str(job_id))
        if self.backend.broker is None:
            text = f"Work on it with: {self.backend.resumption(job_id)}"
        else:
            text = f"Watch it with: c4 jobs watch {job_id}"
        if afterwards:
            text += f". When it is done, the same command {afterwards}."
        self.settings.say(text)

    def leave(self, job_id: int) -> None:
        """Leave a job to running workers, which begin at once."""
        self._set_priority(job_id)
        self._wake_workers(job_id)

    def resume_hint(self, job_id: int, results: Results | None = None) -> str:
        """A message about an unfinished job: how to continue it, or whether workers continue it."""
        if self.backend.broker is None:
            output = "" if results is None else f" {results.options}"
            command = f"{self.backend.resumption(job_id)}{output}"
            return f"Results so far are kept; continue with: {command}"
        has_some = True
        with suppress(StorageError):
            has_some = has_workers(self.database, read_job(self.database, job_id).priority)
        who = "The workers continue" if has_some else "The job waits for workers"
        return f"{who}; look at it with: c4 jobs watch {job_id}"

    def say_unanswered(self, job_id: int) -> bool:
        """Report the number of input lines without an answer; return whether all lines have one."""
        job = read_job(self.database, job_id)
        kind = find_kind(job.kind)
        if kind is None or kind.count_unanswered is None:
            return True
        errors = sum(map(kind.count_unanswered, iterate_units(self.database, job_id)))
        if errors:
            self.settings.say(f"{count(errors, 'line')} without an answer")
        return not errors

    def _runner(self, job_id: int) -> JobFollower:
        self._set_priority(job_id)
        backend = self.backend
        if backend.broker is None:
            engine = backend.engine
            threads = count(engine.threads, "thread")
            self.settings.say_if_verbose(
                f"job {job_id}: {threads}, a table of {engine.table_mb} MB"
            )
            return LocalRunner(
                self.database,
                job_id,
                threads=engine.threads,
                table_mb=engine.table_mb,
                programs=backend.programs,
            )

        follower = JobFollower(self.database, job_id)
        job = read_job(self.database, job_id)
        if not has_consent(self.database, job):
            self.settings.say(NO_CONSENT)
        elif not has_workers(self.database, job.priority):
            self.settings.say(NO_WORKERS)
        self._wake_workers(job_id)
        return follower

    def _wake_workers(self, job_id: int) -> None:
        job = read_job(self.database, job_id)
        if self.backend.broker is not None and job.state is JobState.RUNNING:
            trouble = self.backend.broker.wake(lane_of_job(job.priority))
            if trouble is not None:
                self.settings.say(WITHOUT_MESSAGES.format(trouble=trouble))

    def _set_priority(self, job_id: int) -> None:
        priority = self.backend.priority
        if priority is not None:
            self.database.run(lambda session: set_priority(session, job_id, priority))

    def _say_how_far(self, job_id: int) -> None:
        """Report the stored progress of an unfinished job."""
        with suppress(StorageError):
            job = read_job(self.database, job_id)
            tree = JobLine(self.database, job).tree()
            if tree is not None:
                self.settings.say(f"Proven so far: {tree_line(tree, None)}")
                position = DeepTask.from_params(job.params, job.board).start
                answer = Answer(tree.lower, tree.upper, nodes=job.nodes)
                if text := guess(position, answer, estimate(position)):
                    self.settings.say(str(text))
            else:
                items = count(sum(job.positions.values()), content(job.kind))
                self.settings.say(f"Done so far: {job.positions[UnitState.DONE]:,} of {items}")

    def _say_how_to_continue(self, job_id: int, results: Results | None) -> None:
        """Say how to go on after a failure of the output or the database: a full disk, a server."""
        text = self.resume_hint(job_id, results)
        with suppress(StorageError):
            if read_job(self.database, job_id).state is JobState.DONE:
                text = f"Job {job_id} is done; write its results with: c4 jobs results {job_id}"
        with ignoring_closed_stderr():
            self.settings.say(text)


class _WorkerWatch:
    """Reports when no worker is left for a job, and when there is one again.

    Without a broker there is nothing to report: threads of this process stay until the command
    ends.
    """

    def __init__(self, context: JobContext, job_id: int) -> None:
        self._context = context
        self._job_id = job_id
        self._has_begun = False
        self._is_idle = False
        self._next = time.monotonic() + WORKERS_SECONDS

    def look(self) -> None:
        context = self._context
        if context.backend.broker is None or time.monotonic() < self._next:
            return
        has_some = has_workers(context.database, read_job(context.database, self._job_id).priority)
        self._has_begun = self._has_begun or has_some
        is_idle = self._has_begun and not has_some
        if is_idle != self._is_idle:
            context.settings.say(WORKERS_GONE if is_idle else WORKERS_AGAIN)
            self._is_idle = is_idle
        self._next = time.monotonic() + WORKERS_SECONDS


ResultFormat = Literal["jsonl", "json", "csv", "parquet"]


@dataclass(frozen=True, slots=True)
class Results:
    """The file and the format of a job's results."""

    target: IO[Any]
    """A text file, or for Parquet a binary one."""
    format_name: ResultFormat
    name: str = STANDARD_OUTPUT
    """The file's name as ``--output`` takes it."""

    @property
    def is_stdout(self) -> bool:
        """Whether results go to standard output, where they would mix with a progress bar."""
        return self.target in (sys.stdout, sys.stdout.buffer)

    @property
    def options(self) -> str:
        """The options with which another command writes the same results."""
        text = f"--output {shlex.quote(self.name)}"
        default = "jsonl" if self.name == STANDARD_OUTPUT else format_of_file(self.name)
        return text if self.format_name == default else f"{text} --format {self.format_name}"

    def write(self, objects: Iterable[dict[str, JsonValue]], board: BoardSize) -> None:
        """Write the output objects of a job on this board one by one."""
        if self.format_name == "parquet":
            rows = map(as_row, objects)
            write_rows(rows, self.format_name, (), names=ROW_NAMES, target=self.target)
        elif self.format_name == "json":
            write_rows(objects, self.format_name, (), target=self.target)
        else:
            self.target.writelines(result_lines(objects, self.format_name, board))


def result_format(
    settings: Settings, output: str | None, format_name: str | None, kind: str
) -> ResultFormat:
    """The format of a job's results."""
    if format_name is None and not settings.json:
        format_name = format_by_ending(
            output, endings=ENDINGS, default="jsonl", what="answers", option="--format"
        )
    found = cast("ResultFormat", format_name or format_of_file(output) or "json")
    known = find_kind(kind)
    if found in ("csv", "parquet") and (known is None or not known.has_table):
        raise click.UsageError(
            f"a job of kind {kind} has no table of results: they are --jsonl or --json"
        )
    check_parquet(found, output)
    return found


@contextmanager
def open_results(output: str | None, format_name: ResultFormat) -> Iterator[Results]:
    """Open the file for results, as :func:`cli.output.formats.opened` does."""
    with opened(output, format_name) as target:
        yield Results(target, format_name, output or STANDARD_OUTPUT)


@dataclass(slots=True)
class Written:
    """Counts of the result lines written."""

    errors: int = 0
    known: int = 0
    """Answers that were stored before, or came from a book."""

    def counted(self, objects: Iterable[dict[str, JsonValue]]) -> Iterator[dict[str, JsonValue]]:
        """Yield the objects, and count them."""
        for fields in objects:
            yield fields
            self.errors += "error" in fields
            self.known += fields.get("source") in ("db", "book")


def write_results(database: Database, job: JobInfo, results: Results) -> Written:
    """Write a job's results, one object per line of its input."""
    written = Written()
    units = iterate_units(database, job.id)
    found = (fields for unit in units for fields in unit_objects(job, unit))
    results.write(written.counted(found), job.board)
    return written


def summary(job: JobInfo, written: Written, seconds: float) -> str:
    """One line about a job that ended."""
    positions, done = sum(job.positions.values()), job.positions[UnitState.DONE]
    what = count(positions, content(job.kind))
    if done < positions:
        what = f"{done:,} of {what}"
    parts = [f"job {job.id} {job.state}: {what} in {duration(seconds)}"]
    if written.known:
        parts.append(f"{written.known:,} known before")
    if job.nodes:
        parts.append(count(job.nodes, "node"))
    if written.errors:
        parts.append(f"{count(written.errors, 'line')} without an answer")
    parts += [f"failed: {error}" for error in job.errors]
    return ", ".join(parts)
