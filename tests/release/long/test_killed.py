"""Processes that are killed repeatedly at random moments: nothing is lost."""

import json
import random
import signal
import subprocess
import time
from pathlib import Path

from c4core.position import Position
from db.database import Database
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.kills import check_analysis, check_proof, plan_analysis
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.watching import await_units, held_back, kill_at_work, units, working
from workers.deep import job as planning
from workers.deep.task import DeepTask

KILLS = 20
GAMES = random_games(4000, empty=26)
TASK = DeepTask(Position(width=6, height=6), "", split_plies=3, unit_nodes=20_000)
"""Has 500 pieces."""
SEARCHES = 12
"""Number of searches of one process, too few for it to finish the job."""


def finish(url: str, job_id: int) -> list[dict[str, object]]:
    with working(url, job_id, output=subprocess.PIPE) as process:
        output, errors = process.communicate(timeout=10 * HANG_SECONDS)
    assert (process.returncode, errors) == (0, "")
    return [json.loads(line) for line in output.splitlines()]


def kill_soon(process: subprocess.Popen[str], chance: random.Random) -> None:
    """Wait a random time before the kill; the job cannot end before."""
    time.sleep(chance.uniform(0, 0.2))
    process.kill()
    assert process.wait() == -signal.SIGKILL


def test_killing_an_analysis_repeatedly_loses_nothing(sqlite_path: Path) -> None:
    url, chance = str(sqlite_path), random.Random(5)
    job_id = plan_analysis(url, GAMES)
    free = units(url, job_id)[UnitState.QUEUED] // (KILLS + 1)
    for _ in range(KILLS):
        done = units(url, job_id)[UnitState.DONE]
        with held_back(url, job_id, free=free), working(url, job_id) as process:
            await_units(url, process, UnitState.DONE, done + chance.randint(1, 3))
            kill_soon(process, chance)
    assert units(url, job_id)[UnitState.DONE] < sum(units(url, job_id).values())
    check_analysis(url, job_id, GAMES, finish(url, job_id))


def test_killing_a_deep_job_repeatedly_loses_nothing(sqlite_path: Path) -> None:
    url, chance = str(sqlite_path), random.Random(KILLS)
    with Database.open(url) as database:
        job_id = planning.submit(database, TASK, threads=2)
    for _ in range(KILLS):
        done = units(url, job_id)[UnitState.DONE]
        with working(url, job_id, searches=SEARCHES) as process:
            await_units(url, process, UnitState.DONE, done + chance.randint(1, 5))
            kill_soon(process, chance)
    assert units(url, job_id)[UnitState.DONE] < sum(units(url, job_id).values())
    finish(url, job_id)
    check_proof(url, job_id, TASK.start)


def test_killing_one_of_two_processes_on_a_deep_job(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    with Database.open(url) as database:
        job_id = planning.submit(database, TASK, threads=4)
    with working(url, job_id, searches=3) as victim, working(url, job_id) as survivor:
        # The survivor cannot end the job: other pieces depend on the victim's.
        kill_at_work(url, victim)
        _, errors = survivor.communicate(timeout=HANG_SECONDS)
    assert (survivor.returncode, errors) == (0, "")
    check_proof(url, job_id, TASK.start)
