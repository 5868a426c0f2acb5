"""Jobs whose process dies or is interrupted, for real: nothing is lost, nothing comes twice."""

import io
import json
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from db import evaluations, jobs
from db.database import Database
from db.records.evaluations import EvaluationFilter
from db.records.jobs import JobState, UnitState
from tests.support.boards.games import random_games
from tests.support.running.waiting import AT_ONCE_SECONDS, WAIT_SECONDS
from tests.support.running.watching import await_units, held_back, units, working
from workers.positions.analysis import submit
from workers.positions.book_answers import NO_BOOK

HARD = ["1", "2", "3", "11", "12", "13", "14", "15"]


def plan(url: str, games: list[str]) -> int:
    with Database.open(url) as database:
        stream = io.BytesIO("\n".join(games).encode())
        lines = read_lines(stream, board=DEFAULT_BOARD)
        submission = submit(database, lines, board=DEFAULT_BOARD, book=NO_BOOK, unit_lines=20)
        return submission.job_id


def finish(url: str, job_id: int) -> list[dict[str, object]]:
    with working(url, job_id, output=subprocess.PIPE) as process:
        output, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    return [json.loads(line) for line in output.splitlines()]


def kill_and_resume(url: str, games: list[str], *, kills: int) -> None:
    """Kill a job's process again and again at random moments; check what comes out in the end."""
    chance = random.Random(5)
    job_id = plan(url, games)
    free = units(url, job_id)[UnitState.QUEUED] // (kills + 1)
    for _ in range(kills):
        done = units(url, job_id)[UnitState.DONE]
        with held_back(url, job_id, free=free), working(url, job_id) as process:
            # Well into the work: some units further on, and a moment more.
            await_units(url, process, UnitState.DONE, done + chance.randint(1, 3))
            time.sleep(chance.uniform(0, 0.2))
            process.kill()
        assert process.returncode == -signal.SIGKILL
    assert sum(units(url, job_id).values()) > units(url, job_id)[UnitState.DONE]
    # None is given up: that takes more lapses of one unit than there are kills in its short life.
    results = finish(url, job_id)

    undisturbed = f"{url}.undisturbed"
    expected = finish(undisturbed, plan(undisturbed, games))
    assert [essence(shown) for shown in results] == [essence(shown) for shown in expected]
    assert [shown["moves"] for shown in results] == games
    with Database.open(url) as database, database.read() as session:
        stored = Counter(
            row.key for row in evaluations.stream(session, EvaluationFilter(board=DEFAULT_BOARD))
        )
        job = jobs.get_job(session, job_id)
    assert stored == Counter({Position(moves).canonical_key for moves in games})
    assert job.state is JobState.DONE
    assert job.positions[UnitState.DONE] == len(games)


def essence(shown: dict[str, object]) -> tuple[object, ...]:
    return shown["moves"], shown["score"], tuple(shown["scores"]), tuple(shown["best"])


def test_a_process_that_is_killed_loses_nothing(sqlite_path: Path) -> None:
    kill_and_resume(str(sqlite_path), random_games(1000, empty=24), kills=3)


@pytest.mark.long
def test_a_process_that_is_killed_often_loses_nothing(sqlite_path: Path) -> None:
    kill_and_resume(str(sqlite_path), random_games(4000, empty=26), kills=20)


def test_two_processes_of_which_one_is_killed(sqlite_path: Path) -> None:
    url, games = str(sqlite_path), random_games(400, empty=20)
    job_id = plan(url, games)
    with (
        working(url, job_id, output=subprocess.PIPE) as survivor,
        working(url, job_id) as victim,
    ):
        with held_back(url, job_id, free=10):
            await_units(url, victim, UnitState.DONE, 1)
            victim.kill()
        output, errors = survivor.communicate(timeout=120)
    assert (survivor.returncode, errors) == (0, "")
    assert [json.loads(line)["moves"] for line in output.splitlines()] == games


def test_an_interrupt_leaves_an_orderly_job(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    job_id = plan(url, HARD)
    with working(url, job_id, lease=60) as process:
        await_units(url, process, UnitState.LEASED, 2)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT_SECONDS)
        assert time.monotonic() - start < AT_ONCE_SECONDS
    assert (process.returncode, errors) == (130, "")
    states = units(url, job_id)
    assert states[UnitState.LEASED] == 0
    assert states[UnitState.QUEUED] == len(HARD)
    # Nobody has to wait for the leases, which were long.
    with working(url, job_id, lease=60) as process:
        await_units(url, process, UnitState.LEASED, 2)


def test_a_second_interrupt_at_once_does_no_harm(sqlite_path: Path) -> None:
    url, games = str(sqlite_path), random_games(300, empty=20)
    job_id = plan(url, games)
    with held_back(url, job_id, free=6), working(url, job_id) as process:
        await_units(url, process, UnitState.DONE, 1)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=WAIT_SECONDS)
    assert process.returncode == 130
    assert [shown["moves"] for shown in finish(url, job_id)] == games


def test_a_closed_pipe_leaves_a_job_that_goes_on(sqlite_path: Path) -> None:
    url, games = str(sqlite_path), random_games(400, empty=18)
    job_id = plan(url, games)
    with working(url, job_id, output=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        process.wait(timeout=WAIT_SECONDS)
    assert units(url, job_id)[UnitState.LEASED] == 0
    assert len(finish(url, job_id)) == len(games)
