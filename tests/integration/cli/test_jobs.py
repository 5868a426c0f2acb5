import json
import re
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli.commands import jobs
from db.database import Database
from db.records.jobs import UnitState
from tests.support.boards.games import EASY
from tests.support.jobs import finish, must_take
from tests.support.running.command_line import C4
from tests.support.running.databases import FakeClock, make_job
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


def test_list(c4: C4) -> None:
    rows = c4("jobs", "list", "--jsonl").objects
    assert [(row["job"], row["state"], row["done"]) for row in rows] == [
        (2, "waiting", 0),
        (1, "done", 2),
    ]
    assert c4("jobs", "list", "--state", "done", "--jsonl").objects == rows[1:]
    assert c4("jobs", "list", "--limit", "1", "--jsonl").objects == rows[:1]
    assert max(map(len, c4("jobs", "list").out.splitlines())) <= 80


def test_show(c4: C4) -> None:
    job = json.loads(c4("jobs", "show", "1", "--json").out)
    assert job["label"] == "first"
    assert job["board"] == "7x6"
    assert job["positions"]["done"] == 2
    assert job["created_at"].endswith("Z")


def test_status(c4: C4) -> None:
    status = json.loads(c4("status", "--json").out)
    assert status["jobs"]["waiting"] == status["jobs"]["done"] == 1
    assert status["jobs"]["running"] == 0
    assert status["queued_positions"] == 2
    assert status["workers"] == 0


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
    clock = FakeClock()

    def sleep(seconds: float) -> None:
        clock.time += seconds
        sql(c4, "UPDATE units SET finished_at = finished_at - ?", seconds)

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


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_job_whose_process_has_died_is_interrupted(
    end: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "IDLE_SECONDS", 0.2)
    c4 = C4(tmp_path)
    url = c4.environment["C4_DB"]
    (c4.directory / "lines").write_text('{"moves": ""}\n')
    assert c4("db", "init").code == 0
    endless = c4.start("analyze", "--board", "9x6", "--threads", "1", "lines")
    await_units(url, endless, UnitState.LEASED, 1)
    await_that(lambda: states(c4) == ["running"], endless, seconds=HANG_SECONDS)
    endless.send_signal(end)
    said = endless.communicate(timeout=HANG_SECONDS)[1]
    if end is signal.SIGINT:
        assert "go on with: c4 jobs resume 1 --output -\n" in said
    else:
        # This is unknown until its lease and its heartbeat have expired.
        sql(c4, "UPDATE jobs SET runner_seen_at = runner_seen_at - 3600")
        sql(c4, "UPDATE units SET lease_until = lease_until - 3600")
    assert states(c4) == ["interrupted"]
    shown = c4("jobs", "show", "1")
    assert "state      interrupted" in shown.out
    assert "c4 jobs resume 1" in shown.out
    assert json.loads(c4("jobs", "show", "1", "--json").out)["state"] == "interrupted"
    status = json.loads(c4("status", "--json").out)
    assert (status["jobs"]["interrupted"], status["jobs"]["running"]) == (1, 0)
    assert (status["workers"], status["running_units"]) == (0, 0)
    status_text = c4("status")
    assert "1 interrupted" in status_text.out
    assert "go on with c4 jobs resume" in status_text.err
    for json_option in ([], ["--json"]):
        watched = c4("jobs", "watch", "1", "--interval", "0.1", *json_option)
        assert watched.code == 1
        assert "interrupted" in watched.out
        assert watched.err == (
            "No process is working on job 1 any more: go on with c4 jobs resume 1, "
            "or with workers and a broker\n"
        )
    assert len(c4("jobs", "list", "--state", "interrupted", "--jsonl").objects) == 1
    assert c4("jobs", "list", "--state", "running", "--jsonl").objects == []
    again = c4.start("jobs", "resume", "1", "--threads", "1")
    try:
        await_that(lambda: states(c4) == ["running"], again, seconds=HANG_SECONDS)
    finally:
        again.kill()
        again.communicate()


def test_cancel_and_resume(c4: C4) -> None:
    assert c4("jobs", "cancel", "2").err == "job 2 cancelled\n"
    watched = c4("jobs", "watch", "2")
    assert watched.code == 1
    assert "cancelled" in watched.out
    resumed = c4("jobs", "resume", "2")
    assert resumed.code == 1  # the code of the command that created the job: it has a bad line
    assert resumed.out == ""
    assert "job 2 done: 2 positions" in resumed.err
    assert "1 line without an answer" in resumed.err


def test_results_of_an_unfinished_job(c4: C4) -> None:
    done = c4("jobs", "results", "2")
    assert done.code == 1
    assert [found["line"] for found in done.objects] == [1, 2, 3]
    assert "3 lines without an answer" in done.err


def test_watch_ends_with_the_job(c4: C4) -> None:
    done = c4("jobs", "watch", "1", "--json")
    assert done.code == 0
    (look,) = done.objects
    assert (look["job_id"], look["state"], look["positions_done"]) == (1, "done", 2)
    assert c4("jobs", "resume", "2", "-q").code == 1
    assert c4("jobs", "watch").out.startswith("job 2 done: 2 of 2 positions, ")
    sql(c4, "UPDATE units SET finished_at = finished_at - 100")
    assert c4("jobs", "watch").out == "job 2 done: 2 of 2 positions\n"


@pytest.mark.parametrize(
    ("command", "job_state", "unit_state"),
    [("resume", "cancelled", "cancelled"), ("retry", "failed", "failed")],
)
def test_a_job_for_another_engine_is_unchanged(
    c4: C4, command: str, job_state: str, unit_state: str
) -> None:
    sql(c4, "UPDATE jobs SET engine_version = 99, state = ? WHERE id = 2", job_state)
    sql(c4, "UPDATE units SET state = ? WHERE job_id = 2", unit_state)
    for options in ([], ["--detach"]):
        refused = c4("jobs", command, "2", *options)
        assert refused.code != 0
        assert "job 2 was made for version 99 of the engine" in refused.err
        assert json.loads(c4("jobs", "show", "2", "--json").out)["state"] == job_state


def test_retry_without_failures_does_nothing(c4: C4) -> None:
    done = c4("jobs", "retry", "1", "--detach")
    assert done.code == 0
    assert "0 failed units" in done.err
    assert "is left to" not in done.err


def test_a_job_may_be_left_to_other_processes(c4: C4) -> None:
    assert c4("jobs", "cancel", "2").code == 0
    done = c4("jobs", "resume", "2", "--detach")
    assert (done.code, done.out, done.err) == (0, "", "job 2 is left to other processes\n")


def test_the_last_command_sets_the_priority(c4: C4) -> None:
    for command, priority in (
        (("analyze", "--sample"), 0),
        (("analyze", "--sample", "--priority=7"), 7),
        (("jobs", "resume", "4"), 7),
        (("jobs", "resume", "4", "--priority=0"), 0),
        (("prove", "--board=4x4", "44", "--priority=-3"), -3),
    ):
        done = c4(*command, "--detach")
        assert done.code == 0, done.err
        number = done.out.strip() or "4"
        assert json.loads(c4("jobs", "show", number, "--json").out)["priority"] == priority
    assert re.search(r"^priority +-3$", c4("jobs", "show", "5").out, re.MULTILINE)
    assert c4("analyze", "--sample", "--priority=100").code == 2


def test_a_done_job_cannot_be_cancelled(c4: C4) -> None:
    done = c4("jobs", "cancel", "1")
    assert done.code == 1
    assert "job 1 is done" in done.err


def test_without_jobs_there_is_nothing_to_watch(tmp_path: Path) -> None:
    c4 = C4(tmp_path)
    assert c4("db", "init").code == 0
    assert c4("jobs", "watch").code == 2
    assert c4("jobs", "list").err == "No jobs.\n"


@pytest.mark.parametrize("command", ["resume", "retry"])
@pytest.mark.parametrize(
    ("output", "message"),
    [
        (("-o", "nodir/x"), "'nodir/x': No such file or directory"),
        (("-o", "x", "--detach"), "a detached job writes nothing"),
    ],
)
def test_unwritable_output_does_not_affect_the_job(
    c4: C4, command: str, output: tuple[str, ...], message: str
) -> None:
    assert c4("jobs", "cancel", "2").code == 0
    done = c4("jobs", command, "2", *output)
    assert done.code == 2
    assert message in done.err
    assert json.loads(c4("jobs", "show", "2", "--json").out)["state"] == "cancelled"


def test_jobs_are_cancelled_together_or_not_at_all(c4: C4) -> None:
    assert c4("analyze", "-q", "--detach", "-", stdin=EASY).out == "3\n"
    assert c4("jobs", "cancel", "2", "99").code == 2
    assert json.loads(c4("status", "--json").out)["jobs"]["waiting"] == 2
    done = c4("jobs", "cancel", "2", "3", "2", "--json")
    assert done.err == "job 2 cancelled\njob 3 cancelled\n"
    assert json.loads(done.out) == {"jobs": [2, 3], "state": "cancelled"}


def test_the_job_of_a_match_counts_games(c4: C4) -> None:
    match = ("match", "set", "random", "--games", "4")
    assert c4(*match, "--detach").out == "3\n"
    assert "job 3 done: 4 games in" in c4("jobs", "resume", "3").err
    assert c4("jobs", "watch", "3").out.startswith("job 3 done: 4 of 4 games, ")
    assert "games     4 of 4 done" in c4("jobs", "show", "3").out
    (unit,) = c4("jobs", "results", "3").objects
    assert (unit["match"], unit["games"]) == (1, [0, 4])
