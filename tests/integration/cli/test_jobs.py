import json
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.commands import jobs
from db.database import Database
from db.jobs.queue import record_work
from db.records.jobs import MAX_ATTEMPTS, UnitState
from tests.support.boards.games import EASY
from tests.support.jobs import finish, give_up, must_take
from tests.support.running.command_line import C4
from tests.support.running.databases import FakeClock, do, make_job
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.watching import await_units


@pytest.fixture(scope="module")
def two_jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a database in which job 1 is done and job 2 is detached."""
    c4 = C4(tmp_path_factory.mktemp("jobs"))
    lines = f"{EASY}\n{EASY}6\n"
    assert c4("analyze", "-q", "--label", "first", "-", stdin=lines).code == 0
    assert c4("analyze", "-q", "--detach", "-", stdin=lines + "9\n").out == "2\n"
    return c4.directory


@pytest.fixture
def c4(two_jobs: Path, tmp_path: Path) -> C4:
    """Job 1 is done, job 2 is detached."""
    return C4(Path(shutil.copytree(two_jobs, tmp_path, dirs_exist_ok=True)))


def test_output_for_programs(c4: C4) -> None:
    rows = c4("jobs", "list", "--jsonl").objects
    found = [(row["job"], row["state"], row["done"]) for row in rows]
    assert found == [(2, "running", 0), (1, "done", 2)]
    assert c4("jobs", "list", "--state", "done", "--jsonl").objects == rows[1:]
    assert c4("jobs", "list", "--limit", "1", "--jsonl").objects == rows[:1]
    assert max(map(len, c4("jobs", "list").out.splitlines())) <= 80
    job = json.loads(c4("jobs", "show", "1", "--json").out)
    assert (job["label"], job["board"], job["positions"]["done"]) == ("first", "7x6", 2)
    assert job["created_at"].endswith("Z")
    (look,) = c4("jobs", "watch", "1", "--json").objects
    assert (look["job_id"], look["state"], look["positions_done"]) == (1, "done", 2)
    status = json.loads(c4("status", "--json").out)
    assert status["jobs"]["running"] == status["jobs"]["done"] == 1
    assert (status["queued_positions"], status["workers"]) == (2, 0)


def sql(c4: C4, statement: str, *values: float | str) -> None:
    with closing(sqlite3.connect(c4.directory / "test.db", isolation_level=None)) as database:
        database.execute(statement, values)


def states(c4: C4) -> list[str]:
    return [row["state"] for row in c4("jobs", "list", "--jsonl").objects]


def test_no_remaining_time_is_shown_while_no_process_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    c4 = C4(tmp_path)
    with Database.open(str(c4.directory / "test.db")) as database:
        make_job(database, 8, positions=10)
        for _ in range(4):
            finish(database, must_take(database), seconds=0.5)
        do(database, record_work, [1])
    sql(c4, "UPDATE jobs SET seen_at = seen_at - 20")
    clock = FakeClock()

    def sleep(seconds: float) -> None:
        clock.time += seconds
        sql(c4, "UPDATE units SET finished_at = finished_at - ?", seconds)
        sql(c4, "UPDATE jobs SET seen_at = seen_at - ?", seconds)

    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=clock, sleep=sleep))
    watched = c4("jobs", "watch", "1")
    assert watched.code == 1
    (look,) = watched.out.splitlines()
    assert "/s" not in look
    assert "left" not in look
    status = c4("status").out
    assert "workers        0 at work, 0 of c4 worker alive" in status
    assert "rate           -\n" in status
    assert "remaining      unknown" in status
    totals = json.loads(c4("status", "--json").out)
    assert (totals["positions_per_second"], totals["eta_seconds"]) == (None, None)


def test_a_job_whose_process_has_died_is_silent(tmp_path: Path) -> None:
    c4 = C4(tmp_path)
    url = c4.environment["C4_DB"]
    (c4.directory / "lines").write_text('{"moves": ""}\n')
    assert c4("db", "init").code == 0
    endless = c4.start("analyze", "--board", "9x6", "--threads", "1", "lines")
    await_units(url, endless, UnitState.LEASED, 1)
    await_that(lambda: silence(c4) is not None, endless, seconds=HANG_SECONDS)
    endless.kill()
    endless.communicate(timeout=HANG_SECONDS)
    sql(c4, "UPDATE jobs SET seen_at = seen_at - 3600")
    sql(c4, "UPDATE units SET lease_until = lease_until - 3600")
    assert states(c4) == ["running"]
    assert "1:00:0" in c4("jobs", "list").out
    assert "state      running, last sign of life 1:00:0" in c4("jobs", "show", "1").out
    status = json.loads(c4("status", "--json").out)
    assert (status["workers"], status["running_units"]) == (0, 0)
    assert "continue a job with c4 jobs resume" in c4("status").err
    for json_option in ([], ["--json"]):
        watched = c4("jobs", "watch", "1", "--interval", "0.1", *json_option)
        assert watched.code == 1
        assert watched.err.startswith("No process has worked on job 1 for 1:00:0")
        assert watched.err.endswith("start workers, or continue with c4 jobs resume 1\n")
    again = c4.start("jobs", "resume", "1", "--threads", "1")
    try:
        await_that(lambda: (silence(c4) or 0) < 60, again, seconds=HANG_SECONDS)
    finally:
        again.kill()
        again.communicate()


def silence(c4: C4) -> float | None:
    found: float | None = json.loads(c4("jobs", "show", "1", "--json").out)["silent_seconds"]
    return found


def test_the_job_of_a_killed_planner_is_deleted_by_its_user(tmp_path: Path) -> None:
    c4 = C4(tmp_path)
    with c4.start("analyze", "--no-book", "-") as process:
        assert process.stdin is not None
        process.stdin.write("1\n" * 20_000)  # and the input goes on
        process.stdin.flush()
        await_that(lambda: (tmp_path / "test.db").exists() and states(c4), process)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert states(c4) == ["planning"]
    refused = c4("jobs", "resume", "1")
    assert (refused.code, "give that command again" in refused.err) == (1, True)
    sql(c4, "UPDATE jobs SET seen_at = seen_at - 61")
    watched = c4("jobs", "watch", "1")
    assert (watched.code, "c4 jobs delete 1" in watched.err) == (1, True)
    assert c4("jobs", "delete", "1").code == 0
    assert not states(c4)


def test_failed_units_are_repeated(tmp_path: Path) -> None:
    c4 = C4(tmp_path)
    for command in ("book build --board 5x4 --plies 6", "dataset build --board 5x4 --count 120"):
        number = c4(*command.split(), "--detach").out.strip()
        with Database.open(c4.environment["C4_DB"]) as database:
            for _ in range(MAX_ATTEMPTS):
                give_up(database, must_take(database))
        assert c4("jobs", "resume", number).code == 0
        assert c4(*command.split(), "--output", f"of-{number}").code == 0
