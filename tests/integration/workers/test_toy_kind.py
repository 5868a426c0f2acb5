"""An external kind of job needs one line in the table of kinds, and can do everything.

The kind is ``tests.support.toy_kind``. Here threads of this process work on it; in
``tests/release/servers/test_toy_kind.py`` a ``c4 worker`` does.
"""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import select

from db.database import Database
from db.models import Unit
from db.records.jobs import MAX_ATTEMPTS, JobState, UnitState
from tests.support import toy_kind
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.toy_kind import RESULTS, UNITS
from workers.core.follow import LocalRunner, iterate_units, read_job
from workers.core.kinds import KINDS, find_kind


@pytest.fixture
def database(c4: C4) -> Iterator[Database]:
    """The database that commands use."""
    with Database.open(c4.environment["C4_DB"]) as opened:
        yield opened


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the kind in this process."""
    monkeypatch.setitem(KINDS, toy_kind.KIND, toy_kind.ADDRESS)


def work_on(
    database: Database, job_id: int, *, lease_seconds: float = HANG_SECONDS
) -> AbstractContextManager[LocalRunner]:
    return LocalRunner(database, job_id, threads=2, table_mb=1, lease_seconds=lease_seconds)


def attempts(database: Database, job_id: int) -> list[int]:
    """The number of attempts of each unit of a job."""
    query = select(Unit.attempts).where(Unit.job_id == job_id).order_by(Unit.seq)
    with database.read() as session:
        return list(session.scalars(query))


def test_without_its_line_the_kind_is_unknown(c4: C4, database: Database) -> None:
    job_id = toy_kind.plan(database, UNITS)
    assert find_kind(toy_kind.KIND) is None
    refused = c4("jobs", "resume", str(job_id))
    assert refused.code != 0
    assert "of kind 'roots', which this version" in refused.err
    assert read_job(database, job_id).units[UnitState.QUEUED] == len(UNITS)


@pytest.mark.usefixtures("kind")
def test_its_job_runs_and_is_shown(c4: C4, database: Database) -> None:
    job_id = toy_kind.plan(database, UNITS, label="squares")
    name = str(job_id)
    with work_on(database, job_id) as runner:
        assert list(runner.results()) == RESULTS
    assert read_job(database, job_id).state is JobState.DONE
    assert c4("jobs", "results", name).objects == RESULTS
    refused = c4("jobs", "results", name, "--output", "roots.csv")
    assert refused.code == 2
    assert "a job of kind roots has no table of results" in refused.err
    (row,) = c4("jobs", "list", "--jsonl").objects
    assert (row["kind"], row["state"], row["done"], row["label"]) == ("roots", "done", 6, "squares")
    shown = c4("jobs", "show", name).out
    assert "roots, board 7x6" in shown
    assert "numbers" in shown
    assert "6 of 6 done" in shown
    assert c4("jobs", "watch", name).out.startswith(f"job {job_id} done: 6 of 6 numbers")


@pytest.mark.usefixtures("kind")
def test_its_running_job_is_cancelled_and_resumed(c4: C4, database: Database) -> None:
    file = c4.directory / "go"
    job_id = toy_kind.plan(database, UNITS, waits_for=file)
    name = str(job_id)
    # The heartbeat, which comes several times within a lease, notices that the job is cancelled.
    with work_on(database, job_id, lease_seconds=0.5) as runner:
        await_that(lambda: read_job(database, job_id).units[UnitState.LEASED])
        assert c4("jobs", "cancel", name).code == 0
        assert runner.wait().state is JobState.CANCELLED
    left = c4("jobs", "results", name)
    assert left.code == 1
    assert [shown["error"] for shown in left.objects] == ["cancelled"] * 6
    file.touch()
    resumed = c4("jobs", "resume", name, "--output", "roots.jsonl", "--table-mb", "1")
    assert resumed.code == 0, resumed.err
    lines = (c4.directory / "roots.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == RESULTS


@pytest.mark.usefixtures("kind")
def test_an_error_is_tried_three_times_and_kept(c4: C4, database: Database) -> None:
    job_id = toy_kind.plan(database, [[4], [-1, 9], [16]])
    name = str(job_id)
    error = "ValueError: isqrt() argument must be nonnegative"
    with work_on(database, job_id) as runner:
        assert runner.wait().state is JobState.FAILED
    failed = [unit for unit in iterate_units(database, job_id) if unit.state is UnitState.FAILED]
    assert [(unit.seq, unit.error) for unit in failed] == [(1, error)]
    assert attempts(database, job_id) == [1, MAX_ATTEMPTS, 1]
    results = c4("jobs", "results", name)
    assert results.code == 1
    assert results.objects == [
        {"number": 4, "root": 2},
        {"number": -1, "error": error},
        {"number": 9, "error": error},
        {"number": 16, "root": 4},
    ]
    assert error in c4("jobs", "show", name).out
    assert c4("jobs", "retry", name, "--table-mb", "1").code == 1
    assert read_job(database, job_id).state is JobState.FAILED
    assert attempts(database, job_id) == [1, MAX_ATTEMPTS, 1]
