"""An external kind of job needs one line in the table of kinds, and can do everything.

The kind is ``tests.support.toy_kind``; threads of this process work on it.
"""

from collections.abc import Iterator

import pytest

from db.database import Database
from db.records.jobs import JobState, UnitState
from tests.support import toy_kind
from tests.support.running.command_line import C4
from tests.support.toy_kind import RESULTS, UNITS
from workers.core.follow import LocalRunner, read_job
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
    with LocalRunner(database, job_id, threads=2, table_mb=1) as runner:
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
