"""Working on a job in this process, from the command line's side: output, progress, summary."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from cli.output import progress
from cli.output.render import count, duration
from cli.shell import signals
from db.jobs import JobState
from workers import analysis
from workers.local import LocalRunner

if TYPE_CHECKING:
    from c4core.lines import JsonValue
    from cli.shell.settings import Settings
    from db.database import Database
    from db.jobs import JobInfo
    from workers.progress import Progress

UNITS_AT_A_TIME = 8
"""Units whose results are in memory together."""


@dataclass(slots=True)
class Tally:
    """What was written."""

    lines: int = 0
    errors: int = 0
    """Lines without an answer."""
    known: int = 0
    """Answers that were stored before."""

    def write(self, target: IO[str], fields: dict[str, JsonValue]) -> None:
        """Write an object as a line, and count it."""
        target.write(json.dumps(fields) + "\n")
        self.lines += 1
        self.errors += "error" in fields
        self.known += fields.get("source") == "db"


def run_job(
    settings: Settings,
    database: Database,
    job_id: int,
    *,
    threads: int,
    table_mb: int,
    target: IO[str] | None,
) -> bool:
    """Work on a job to its end and say what came of it. Whether all is well.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: a job that is running.
        threads: threads to search with.
        table_mb: size of the table that they share.
        target: where the results go; None for nowhere.

    Raises:
        KeyboardInterrupt: after the job was left in order and it was told how to go on.
    """
    began = time.monotonic()
    tally = Tally()
    shown = progress.is_shown(settings, over_output=target is sys.stdout)
    settings.tell(f"job {job_id}: {count(threads, 'thread')}, a table of {table_mb} MB")
    try:
        with (
            progress.solving(job_id, shown=shown) as tell,
            LocalRunner(database, job_id, threads=threads, table_mb=table_mb) as runner,
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
        settings.say(f"What is done is kept; go on with: c4 jobs resume {job_id}")
        raise
    job = read_job(database, job_id)
    settings.say(summary(job, tally, time.monotonic() - began))
    return job.state is JobState.DONE and not tally.errors


def write_results(database: Database, job_id: int, target: IO[str]) -> Tally:
    """Write what a job has come to so far, a line for every line of its input.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    from db import jobs

    job = read_job(database, job_id)
    tally = Tally()
    after = -1
    while True:
        with database.read() as session:
            units = jobs.unit_results(session, job_id, after_seq=after, limit=UNITS_AT_A_TIME)
        for unit in units:
            for fields in analysis.unit_objects(job, unit):
                tally.write(target, fields)
            after = unit.seq
        if not units:
            return tally


def read_job(database: Database, job_id: int) -> JobInfo:
    """Everything about a job.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    from db import jobs

    with database.read() as session:
        return jobs.get_job(session, job_id)


def summary(job: JobInfo, tally: Tally, seconds: float) -> str:
    """One line about a job that was worked on."""
    positions = sum(job.positions.values())
    parts = [f"job {job.id} {job.state}: {count(positions, 'position')} in {duration(seconds)}"]
    if tally.known:
        parts.append(f"{tally.known:,} known before")
    parts.append(count(job.nodes, "node"))
    if tally.errors:
        parts.append(f"{count(tally.errors, 'line')} without an answer")
    parts += [f"failed: {error}" for error in job.errors]
    return ", ".join(parts)
