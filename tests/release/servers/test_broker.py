"""Jobs worked on by real worker processes, over real brokers."""

import json
import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from c4core.book.writer import write_book
from c4core.position import Position
from db.records.jobs import JobState, UnitState
from tests.support.boards.games import random_games
from tests.support.boards.small_books import opening
from tests.support.running.command_line import C4, Result
from tests.support.running.service import Service
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.watching import units
from workers import api
from workers.core.kinds import Lane

pytestmark = pytest.mark.servers

GAMES = random_games(1500, empty=14)
MEDIUM = random_games(200, empty=26)
HARD = "8x7"
"""A board whose empty position cannot be solved during a test."""


def write(directory: Path, games: list[str]) -> str:
    path = directory / "games.txt"
    path.write_text("".join(f"{game}\n" for game in games))
    return str(path)


def without_effort(done: Result) -> list[str]:
    """The lines of the output without the effort, which differs between runs."""
    assert done.out
    effort = re.compile(r'"nodes": \d+, "seconds": [\d.e-]+')
    return [effort.sub("", line) for line in done.out.splitlines()]


def give_endless_work(service: Service) -> int:
    """Make a job of one position that takes longer than any test."""
    done = service("analyze", "--board", HARD, "--detach", "-q", "-", stdin='{"moves": ""}\n')
    assert done.code == 0, done.err
    job_id = int(done.out)
    await_that(lambda: service.job(job_id).units[UnitState.LEASED] == 1)
    return job_id


def test_the_output_equals_that_of_one_process(service: Service, tmp_path: Path) -> None:
    # No position twice: otherwise chance decides whether the second is searched or found.
    lines = [*GAMES, "no moves", json.dumps({"id": 7, "moves": GAMES[0][:-1]}), ""]
    path = write(tmp_path, lines)
    here = C4(tmp_path)("--broker", "none", "analyze", path)
    with service.worker("--threads=2", name="ada"), service.worker("--threads=1", name="bob"):
        there = service("analyze", path)
    assert without_effort(there) == without_effort(here)
    assert (there.code, here.code) == (1, 1)  # two bad lines
    assert "job 1 done: 1,501 positions" in there.err


def test_a_running_job_is_cancelled_and_resumed(service: Service, tmp_path: Path) -> None:
    path = write(tmp_path, MEDIUM)
    with service.worker("--threads=1") as worker:
        job_id = give_endless_work(service)
        assert service("jobs", "cancel", str(job_id)).code == 0
        # The search is stopped at the next heartbeat, and the thread is free.
        assert service("analyze", path, "--output", "out").code == 0
        await_that(lambda: f"of job {job_id}) lost" in worker.log)
        # After resuming, the job runs again; and a watcher may leave.
        assert service("jobs", "resume", str(job_id), "--detach").code == 0
        await_that(lambda: service.job(job_id).units[UnitState.LEASED] == 1)


def test_interactive_questions_do_not_wait_for_bulk_work(service: Service) -> None:
    with service.worker("--threads=1"):
        give_endless_work(service)
        here = C4(service.directory)
        for moves in (MEDIUM[:1], MEDIUM[1:4]):
            answer = service("solve", "--json", "--no-book", *moves)
            assert answer.code == 0, answer.err
            assert without_effort(answer) == without_effort(
                here("--broker", "none", "solve", "--json", "--no-book", *moves)
            )
        again = service("solve", "--json", "--no-book", MEDIUM[0])
        assert again.objects[0]["source"] == "db"


@pytest.mark.parametrize("pool", ["prefork", "threads", "solo"])
def test_all_pools_of_celery_work(service: Service, tmp_path: Path, pool: str) -> None:
    path = write(tmp_path, GAMES)
    here = C4(tmp_path)("--broker", "none", "analyze", path)
    processes = 2 if pool == "prefork" else 1
    inspect = ("-m", "celery", "-A", "workers.app", "inspect", "active", "--json")
    options = (f"--pool={pool}", "--concurrency=2")
    with service.celery_worker(*options, processes=processes) as worker:
        assert without_effort(service("analyze", path)) == without_effort(here)
        job_id = give_endless_work(service)
        if pool != "solo":  # which answers when its task has ended
            with service.process(*inspect) as asking:
                assert asking.process.wait(HANG_SECONDS) == 0
            (tasks,) = json.loads(asking.log.splitlines()[-1]).values()
            assert {(task["name"], *task["args"]) for task in tasks} == {("c4.work", "bulk")}
        assert worker.stop() == 0
    assert service.job(job_id).units[UnitState.QUEUED] == 1
    assert service.workers() == set()


def test_status_shows_the_workers(one_service: Service, tmp_path: Path) -> None:
    with one_service.worker("--threads=3", "--queues=bulk", name="grace") as worker:
        assert one_service("analyze", write(tmp_path, GAMES), "--output", "out").code == 0
        give_endless_work(one_service)
        status = json.loads(one_service("status", "--json").out)
        (shown,) = status["live_workers"]
        assert (shown["name"], shown["threads"], status["workers"]) == ("grace", 3, 1)
        assert shown["queues"] == [Lane.BULK.queue]
        assert shown["seen_at"].endswith("Z")
        assert "1 at work, 1 of c4 worker alive" in one_service("status").out
        row = re.compile(r"^grace +\S+ +\S+/1 +3 +1,500 ", re.MULTILINE)
        await_that(lambda: row.search(one_service("status").out), worker)


def test_functions_let_workers_do_the_work(service: Service) -> None:
    games = GAMES[:40]
    there = {"database": service.database_url, "broker": service.broker_url}
    with service.worker("--threads=1"):
        found = api.analyze_many(games, **there)
        report = api.play_match("easy", "random", games=4, **there)
    own = api.analyze_many(games)
    scores = ("score", "best", *(f"score_{column}" for column in range(1, 8)))
    assert [[row[name] for name in scores] for row in found] == [
        [row[name] for name in scores] for row in own
    ]
    assert report.games == 4
    assert {service.job(number).state for number in (1, 2)} == {JobState.DONE}


def test_workers_obey_the_options_of_questions(one_service: Service, tmp_path: Path) -> None:
    start = Position(board="5x4")
    path = tmp_path / "small.c4book"
    write_book(path, opening(start, 3), board=start.board)

    def ask(*options: str) -> list[dict[str, Any]]:
        return one_service("solve", "--json", *options).objects

    with one_service.worker("--threads=1"):
        small = ("--board=5x4", "--score-only")
        assert ask("--no-book", "44")[0]["source"] == "search"
        # The book has 12, and not 1234, which a worker searches; both are queried together.
        asked = ask(*small, f"--book={path}", "12", "1234")
        assert [answer["source"] for answer in asked] == ["book", "search"]
        assert ask(*small, "--no-book", "--weak", "13")[0]["source"] == "search"
        hard = ("--no-book", f"--board={HARD}", "")
        (few,), (short,) = ask("--node-limit=20000", *hard), ask("--time-limit=0.5", *hard)
        assert few["score"] is short["score"] is None
        assert 0.9 * 20_000 <= few["nodes"] < 100_000
        assert short["seconds"] >= 0.4
    params = [one_service.job(number).params for number in range(1, 6)]
    assert [each["book"] for each in params] == ["", str(path), "", "", ""]
    assert [each.get("weak", False) for each in params] == [False, False, True, False, False]
    assert [each.get("node_limit") for each in params] == [None, None, None, 20_000, None]
    assert [each.get("time_limit") for each in params] == [None, None, None, None, 0.5]


@pytest.mark.parametrize("traces", ["", "1"])
def test_no_password_is_shown(
    one_service: Service, monkeypatch: pytest.MonkeyPatch, traces: str
) -> None:
    monkeypatch.setenv("C4_TRACE", traces)
    secrets = ("hunter2hunter2", "correct-horse")
    # Both servers accept every client with any password.
    service = Service(
        one_service.directory,
        one_service.database_url.replace("://c4@", f"://c4:{secrets[0]}@", 1),
        one_service.broker_url.replace("://", f"://:{secrets[1]}@", 1),
    )
    with service.worker() as worker:
        assert service("-v", "analyze", "-", stdin="1122\n").code == 0
        give_endless_work(service)
        told = [path.read_text() for path in Path(f"/proc/{worker.process.pid}").glob("cmdline")]
        worker.stop()
        told.append(worker.log)
    with service.celery_worker("--pool=threads", "-l", "DEBUG") as worker:
        worker.stop()
        told.append(worker.log)
    for arguments in (["status"], ["-v", "analyze", "--detach", "--sample"], ["jobs", "list"]):
        done = service(*arguments)
        told += [done.out, done.err]
    away = replace(service, broker_url=f"redis://:{secrets[1]}@127.0.0.1:1")
    done = away("-v", "analyze", "-", stdin="1122\n")
    assert done.code == 3
    text = "\n".join([*told, done.err])
    assert not any(secret in text for secret in secrets)
    assert "redis://:***@" in text


def test_messages_contain_only_a_lane(one_service: Service) -> None:
    assert one_service("analyze", "--detach", "-", stdin="1122\n").code == 0
    with redis.Redis.from_url(one_service.broker_url) as client:
        message = json.loads(client.lindex(Lane.BULK.queue, 0))
    assert message["headers"]["argsrepr"] == "('bulk',)"
    assert message["headers"]["kwargsrepr"] == "{}"
    assert len(json.dumps(message)) < 2000


def test_an_sqlite_file_works_as_the_database(one_service: Service, tmp_path: Path) -> None:
    """One machine with a separate worker, and only the broker to install."""
    service = Service(tmp_path, f"sqlite:///{tmp_path / 'c4.db'}", one_service.broker_url)
    assert service("db", "init").code == 0
    with service.worker("--threads=2"):
        done = service("analyze", write(tmp_path, GAMES), "--output", "out")
        assert done.code == 0, done.err
    assert len((tmp_path / "out").read_text().splitlines()) == len(GAMES)


def test_interrupting_a_question_cancels_its_job(one_service: Service) -> None:
    question = ("-m", "cli", "solve", "--board", HARD, "--no-book", "1122")
    with one_service.process(*question) as process:
        await_that(lambda: "No worker takes such jobs yet" in process.log, process)
        assert process.stop(signal.SIGINT) == 130
        assert "Stored so far: x to move, not solved yet: score between " in process.log
        assert "The worker stores" not in process.log
    assert one_service.job(1).state is JobState.CANCELLED
    with one_service.process(*question) as process:
        await_that(lambda: "No worker takes such jobs yet" in process.log, process)
        assert one_service("jobs", "cancel", "2").code == 0
        assert process.process.wait(HANG_SECONDS) == 1
        assert "job 2 was not solved: cancelled" in process.log


def test_a_worker_stores_the_bounds_of_an_interrupted_question(one_service: Service) -> None:
    question = ("-m", "cli", "solve", "--board", HARD, "--no-book", "--score-only", "1122")
    with (
        one_service.worker("--threads=1") as worker,
        one_service.process(*question) as process,
    ):
        await_that(lambda: units(one_service.database_url)[UnitState.LEASED], process)
        assert process.stop(signal.SIGINT) == 130
        assert "The worker stores the bounds" in process.log
        query = ("query", "--board", HARD, "--count")
        await_that(lambda: one_service(*query).out == "1\n", worker)


def test_interrupting_a_watcher_leaves_the_job_running(
    one_service: Service, tmp_path: Path
) -> None:
    with one_service.process("-m", "cli", "analyze", write(tmp_path, MEDIUM)) as process:
        await_that(lambda: "No worker takes such jobs yet" in process.log, process)
        assert process.stop(signal.SIGINT) == 130
        assert f"Done so far: 0 of {len(MEDIUM)} positions" in process.log
        assert "The job waits for workers; look at it with: c4 jobs watch 1" in process.log
    assert one_service.job(1).state is JobState.RUNNING
    with one_service.worker("--threads=2"):
        done = one_service("jobs", "resume", "1", "--output", "-")
        assert done.code == 0, done.err
        assert [found["moves"] for found in done.objects] == MEDIUM
