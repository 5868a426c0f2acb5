"""Deep jobs whose process is killed, for real: the score comes out all the same."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from c4core.position import Position
from c4core.solver import Solver
from db import evaluations, jobs
from db.database import Database
from db.records.jobs import JobState, UnitState
from tests.support.running.waiting import AT_ONCE_SECONDS, await_that
from workers.deep.planning import submit
from workers.deep.proof import follow_proof
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds

ROOT = Path(__file__).resolve().parents[3]
START = Position(width=6, height=6)
TASK = DeepTask(START, "", split_plies=3, unit_nodes=20_000)


@contextmanager
def working(url: str, job_id: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process that works on the job with two threads and short leases."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.running.job_process", url, str(job_id)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def states(url: str, job_id: int) -> dict[UnitState, int]:
    with Database.open(url) as database, database.read() as session:
        return dict(jobs.get_job(session, job_id).units)


def await_done(url: str, job_id: int, number: int) -> None:
    await_that(lambda: states(url, job_id)[UnitState.DONE] >= number)


def check_proof(url: str, job_id: int) -> None:
    """The score is right, is stored, and can be followed down to what was searched."""
    score = Solver().solve(START).score
    assert score is not None
    with Database.open(url) as database:
        with database.read() as session:
            job = jobs.get_job(session, job_id)
            key = START.canonical_key
            root = evaluations.lookup(session, START.board, [key])[key]
        proof = follow_proof(database, START, Bounds(score, score))
    assert job.state is JobState.DONE
    assert job.units[UnitState.DONE] == sum(job.units.values())
    assert (root.lower, root.upper) == (score, score)
    assert proof.missing == ()
    assert proof.searched > 10


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.long)])
def test_a_process_that_is_killed_loses_nothing(sqlite_path: Path, kills: int) -> None:
    url, chance = str(sqlite_path), random.Random(kills)
    with Database.open(url) as database:
        job_id = submit(database, TASK, threads=2)
    for _ in range(kills):
        done = states(url, job_id)[UnitState.DONE]
        with working(url, job_id) as process:
            await_done(url, job_id, done + chance.randint(1, 5))
            time.sleep(chance.uniform(0, 0.1))
            process.kill()
        assert process.returncode == -signal.SIGKILL
    assert states(url, job_id)[UnitState.DONE] < sum(states(url, job_id).values())
    with working(url, job_id) as process:
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, b"")
    check_proof(url, job_id)


def test_two_processes_of_which_one_is_killed(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    with Database.open(url) as database:
        job_id = submit(database, TASK, threads=4)
    with working(url, job_id) as survivor, working(url, job_id) as victim:
        await_done(url, job_id, 5)
        victim.kill()
        _, errors = survivor.communicate(timeout=120)
    assert (survivor.returncode, errors) == (0, b"")
    check_proof(url, job_id)


def test_an_interrupt_hands_back_at_once(sqlite_path: Path) -> None:
    """Pieces that take long are given up within moments, and the next process takes them."""
    url = str(sqlite_path)
    endless = Position(width=8, height=7)
    with Database.open(url) as database:
        job_id = submit(database, DeepTask(endless, "", split_plies=2), threads=2)
    with working(url, job_id) as process:
        await_that(lambda: states(url, job_id)[UnitState.LEASED] >= 2)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert time.monotonic() - began < AT_ONCE_SECONDS
    assert process.returncode == 130
    assert states(url, job_id)[UnitState.LEASED] == 0
    assert states(url, job_id)[UnitState.QUEUED] >= 2
