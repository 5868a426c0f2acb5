"""Hints for a user who leaves a job: how to resume it, and who works on it."""

import io
from pathlib import Path
from typing import Any

import pytest

from cli.shell.parameters import Engine
from cli.shell.settings import Settings
from cli.work.job import Backend, JobContext, ResultFormat, Results
from db.database import Database
from db.jobs.watching import record_worker
from tests.support.running.databases import do, make_job, worker
from workers.core.kinds import Lane

NO_BROKER: Any = object()
"""A broker that is not asked."""

ENGINE = Engine(threads=1, table_mb=1)
HERE = Backend(None, ENGINE)
ELSEWHERE = Backend(NO_BROKER, ENGINE)


@pytest.mark.parametrize(
    ("name", "format_name", "options"),
    [
        ("-", "jsonl", "--output -"),
        ("-", "csv", "--output - --format csv"),
        ("r.csv", "csv", "--output r.csv"),
        ("my results.jsonl", "jsonl", "--output 'my results.jsonl'"),
    ],
)
def test_the_resume_hint_repeats_the_output_options(
    sqlite_path: Path, name: str, format_name: ResultFormat, options: str
) -> None:
    results = Results(io.StringIO(), format_name, name)
    with Database.open(str(sqlite_path)) as database:
        context = JobContext(Settings(), database, HERE)
        said = context.resume_hint(7, results)
        assert said == f"Results so far are kept; continue with: c4 jobs resume 7 {options}"
        assert context.resume_hint(7).endswith("c4 jobs resume 7")


def test_the_hint_mentions_workers_only_if_there_are_any(sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database:
        job_id = make_job(database)
        context = JobContext(Settings(), database, ELSEWHERE)
        said = context.resume_hint(job_id)
        assert said == "The job waits for workers; look at it with: c4 jobs watch 1"
        do(database, record_worker, worker(queues=(Lane.BULK.queue,)))
        said = context.resume_hint(job_id)
        assert said == "The workers continue; look at it with: c4 jobs watch 1"
