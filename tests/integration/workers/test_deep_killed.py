"""Deep jobs whose process is killed, for real: the score comes out all the same."""

import random
import signal
import time
from pathlib import Path

import pytest

from c4core.position import Position
from c4core.solver import Solver
from db import evaluations, jobs
from db.database import Database
from db.records.jobs import JobState, UnitState
from tests.support.running.waiting import AT_ONCE_SECONDS, WAIT_SECONDS, await_that
from tests.support.running.watching import await_units, units, working
from workers.deep.planning import submit
from workers.deep.proof import follow_proof
from workers.deep.sharing import LEAST_NODES, Exchange
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds

TASK = DeepTask(Position(width=6, height=5), "", split_plies=3, unit_nodes=5_000)
"""112 pieces."""
LONG_TASK = DeepTask(Position(width=6, height=6), "", split_plies=3, unit_nodes=20_000)
"""500 pieces, to be killed in often."""
SEARCHES = 12
"""Of one process, which does not get to the job's end with them however late it is killed."""


def check_proof(url: str, job_id: int, start: Position) -> None:
    """The score is right, is stored, and can be followed down to what was searched."""
    score = Solver().solve(start).score
    assert score is not None
    with Database.open(url) as database:
        with database.read() as session:
            job = jobs.get_job(session, job_id)
            key = start.canonical_key
            root = evaluations.lookup(session, start.board, [key])[key]
        proof = follow_proof(database, start, Bounds(score, score))
    assert job.state is JobState.DONE
    assert job.units[UnitState.DONE] == sum(job.units.values())
    assert (root.lower, root.upper) == (score, score)
    assert proof.missing == ()
    assert proof.searched > 10


@pytest.mark.parametrize(
    ("task", "kills"), [(TASK, 3), pytest.param(LONG_TASK, 20, marks=pytest.mark.long)]
)
def test_a_process_that_is_killed_loses_nothing(
    sqlite_path: Path, task: DeepTask, kills: int
) -> None:
    url, chance = str(sqlite_path), random.Random(kills)
    with Database.open(url) as database:
        job_id = submit(database, task, threads=2)
    for _ in range(kills):
        done = units(url, job_id)[UnitState.DONE]
        with working(url, job_id, searches=SEARCHES) as process:
            await_units(url, process, UnitState.DONE, done + chance.randint(1, 5))
            time.sleep(chance.uniform(0, 0.1))
            process.kill()
        assert process.returncode == -signal.SIGKILL
    assert units(url, job_id)[UnitState.DONE] < sum(units(url, job_id).values())
    with working(url, job_id) as process:
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    check_proof(url, job_id, task.start)


def test_two_processes_of_which_one_is_killed(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    with Database.open(url) as database:
        job_id = submit(database, TASK, threads=4)
    with working(url, job_id) as survivor, working(url, job_id, searches=3) as victim:
        # More may not be done before the victim is dead: other pieces can depend on those it holds.
        await_units(url, victim, UnitState.DONE, 1)
        victim.kill()
        _, errors = survivor.communicate(timeout=120)
    assert (survivor.returncode, errors) == (0, "")
    check_proof(url, job_id, TASK.start)


def test_what_a_killed_process_has_shared_helps_the_next_one(sqlite_path: Path) -> None:
    """A search that was killed in its midst is not lost: its dearest bounds are in the database."""
    url = str(sqlite_path)
    start = Position(width=6, height=7)
    with Database.open(url) as database:
        job_id = submit(database, DeepTask(start, "", split_plies=0, unit_nodes=10**15))
        with working(url, job_id) as process:
            await_that(lambda: bool(_parcels(database, job_id)))
            process.kill()
        assert units(url, job_id)[UnitState.DONE] == 0
        solver = Solver(table_mb=16)
        Exchange(database, job_id, start.board).take_turn(solver)
    shared = solver.table_bounds(width=6, height=7, least_nodes=LEAST_NODES)
    assert len(shared) > 10
    judge = Solver(table_mb=16)
    for bound in shared[:: len(shared) // 10]:
        position = Position.from_key(int(bound["key"]), width=6, height=7)
        beta = int(bound["score"]) + (1 if bound["is_upper"] else 0)
        assert (judge.test(position, beta).lower >= beta) is not bool(bound["is_upper"])


def _parcels(database: Database, job_id: int) -> list[jobs.Parcel]:
    with database.read() as session:
        return jobs.new_parcels(session, job_id, {})


def test_an_interrupt_hands_back_at_once(sqlite_path: Path) -> None:
    """Pieces that take long are given up within moments, and the next process takes them."""
    url = str(sqlite_path)
    endless = Position(width=8, height=7)
    with Database.open(url) as database:
        job_id = submit(database, DeepTask(endless, "", split_plies=2), threads=2)
    with working(url, job_id) as process:
        await_units(url, process, UnitState.LEASED, 2)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(WAIT_SECONDS)
        assert time.monotonic() - began < AT_ONCE_SECONDS
    assert process.returncode == 130
    assert units(url, job_id)[UnitState.LEASED] == 0
    assert units(url, job_id)[UnitState.QUEUED] >= 2
