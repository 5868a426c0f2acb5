"""A job being worked on, from the command line's side: output, progress, summary."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from cli.jobs.drawing import drawing
from cli.jobs.view import content
from cli.output import progress
from cli.output.render import count, duration
from cli.shell import signals
from cli.shell.streams import nobody_listening
from db.jobs import JobState
from workers.following import iterate_units, read_job
from workers.outputs import unit_objects

if TYPE_CHECKING:
    from c4core.lines import JsonValue
    from cli.jobs.hands import Hands
    from cli.shell.settings import Settings
    from db.database import Database
    from db.jobs import JobInfo
    from workers.progress import Progress


@dataclass(slots=True)
class Tally:
    """What was written."""

    lines: int = 0
    errors: int = 0
    """Lines without an answer."""
    known: int = 0
    """Answers that were stored before, or that a book had."""

    def write(self, target: IO[str], fields: dict[str, JsonValue]) -> None:
        """Write an object as a line, and count it."""
        target.write(json.dumps(fields) + "\n")
        self.lines += 1
        self.errors += "error" in fields
        self.known += fields.get("source") in ("db", "book")


def run_job(
    settings: Settings,
    database: Database,
    job_id: int,
    hands: Hands,
    target: IO[str] | None,
) -> bool:
    """See a job to its end and say what came of it. Whether all is well.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: a job that is running.
        hands: who does the work.
        target: where the results go; None for nowhere.

    Raises:
        KeyboardInterrupt, OSError: after the job was left in order and it was told how to go on;
            the latter where the results cannot be written.
    """
    began = time.monotonic()
    tally = Tally()
    shown = progress.is_shown(settings, over_output=target is sys.stdout)
    try:
        with (
            drawing(database, job_id, shown=shown) as tell,
            hands.runner(settings, database, job_id) as runner,
        ):

            def look(so_far: Progress) -> None:
                signals.check()
                if tell is not None:
                    tell(so_far)

            if target is None:
                runner.wait(look)
            else:
                for fields in runner.results(look):
                    tally.write(target, fields)
    except KeyboardInterrupt:
        settings.say(hands.farewell(job_id))
        raise
    except OSError:
        _tell_way_on(settings, database, job_id, hands)
        raise
    job = read_job(database, job_id)
    settings.say(summary(job, tally, time.monotonic() - began))
    return job.state is JobState.DONE and not tally.errors


def _tell_way_on(settings: Settings, database: Database, job_id: int, hands: Hands) -> None:
    """Say how to come by the results of a job whose output has failed: full, or nobody reads it."""
    if read_job(database, job_id).state is JobState.DONE:
        text = f"Job {job_id} is done; write its results with: c4 jobs results {job_id}"
    else:
        text = hands.farewell(job_id)
    with nobody_listening():
        settings.say(text)


def finish_job(
    settings: Settings, database: Database, job_id: int, hands: Hands, *, afterwards: str
) -> None:
    """See a job to its end that something is made of then, unless it is done.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: a job that is running, or done.
        hands: who does the work.
        afterwards: what to say to somebody who interrupts it.

    Raises:
        KeyboardInterrupt: after the job was left in order.
    """
    if read_job(database, job_id).state is JobState.DONE:
        settings.tell(f"job {job_id} was done before")
        return
    try:
        run_job(settings, database, job_id, hands, None)
    except KeyboardInterrupt:
        settings.say(afterwards)
        raise


def write_results(database: Database, job_id: int, target: IO[str]) -> Tally:
    """Write what a job has come to so far, a line for every line of its input.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    job = read_job(database, job_id)
    tally = Tally()
    for unit in iterate_units(database, job_id):
        for fields in unit_objects(job, unit):
            tally.write(target, fields)
    return tally


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
