"""Deep jobs worked on by real worker processes, over a real broker."""

import json
import signal

import pytest

from c4core.position import Position
from db.database import Database
from db.records.jobs import Claim, JobState, UnitState
from tests.support.boards.deep import conclude
from tests.support.jobs import of_job, take
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from workers.deep.answer import follow_proof
from workers.deep.job import submit
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds

pytestmark = pytest.mark.servers

START, SCORE = Position(width=6, height=6), -1
ENDLESS = DeepTask(Position(width=8, height=7), "", split_plies=1, unit_nodes=10**15)
"""Each of its searches would take hours."""


def test_workers_prove_a_score_together_although_one_is_killed(one_service: Service) -> None:
    with Database.open(one_service.database_url) as database:
        task = DeepTask(START, "", split_plies=3, unit_nodes=100_000)
        job_id = submit(database, task, threads=2)
    with one_service.worker("--threads=1", name="ada"), one_service.worker(name="bob") as victim:
        await_that(lambda: one_service.job(job_id).units[UnitState.DONE] > 5)
        victim.process.kill()
        done = one_service("deep", "--board", "6x6", "--resume", "--json", "")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert (answer["job"], answer["score"], answer["proof"]["missing"]) == (job_id, SCORE, 0)
    job = one_service.job(job_id)
    assert job.state is JobState.DONE
    assert job.units[UnitState.DONE] == sum(job.units.values())
    with Database.open(one_service.database_url) as database:
        assert not follow_proof(database, START, Bounds(SCORE, SCORE)).missing


def test_an_unnecessary_piece_frees_its_worker(one_service: Service) -> None:
    with Database.open(one_service.database_url) as database:
        job_id = submit(database, ENDLESS, threads=4)
        with one_service.worker("--threads=1") as worker:
            await_that(lambda: one_service.job(job_id).units[UnitState.LEASED] > 0, worker)
            # Another worker's result completes the job.
            assert conclude(database, _next_piece(database, job_id), Bounds(-27, -27))
            await_that(lambda: f"of job {job_id}) lost" in worker.log)
        assert one_service.job(job_id).state is JobState.DONE


def test_an_interrupted_command_shows_the_bounds_that_workers_have_proven(
    one_service: Service,
) -> None:
    with Database.open(one_service.database_url) as database:
        job_id = submit(database, ENDLESS, threads=1)
        command = ("-m", "cli", "deep", "--board", "8x7", "--resume", "")
        with one_service.process(*command) as process:
            await_that(lambda: "No worker takes such jobs yet" in process.log, process)
            assert conclude(database, _next_piece(database, job_id), Bounds(-1, -1))
            assert process.stop(signal.SIGINT) == 130
    assert "Proven so far: score +1 to +27, asked: " in process.log
    assert "The job waits for workers" in process.log


def _next_piece(database: Database, job_id: int) -> Claim:
    """Claim the next piece. While another process has locked its row, PostgreSQL skips it."""
    taken: list[Claim | None] = []

    def is_taken() -> bool:
        taken.append(take(database, of_job(job_id)))
        return taken[-1] is not None

    await_that(is_taken)
    assert taken[-1] is not None
    return taken[-1]
