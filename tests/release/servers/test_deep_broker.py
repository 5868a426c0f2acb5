"""Deep jobs worked on by real worker processes, over a real broker."""

import json
import signal
from contextlib import ExitStack

import pytest
import redis

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.database import Database
from db.records.evaluations import StoredEvaluation
from db.records.jobs import JobState, UnitState
from tests.support.running.databases import do
from tests.support.running.service import Process, Service
from tests.support.running.waiting import await_that
from workers.deep.job import join_or_submit
from workers.deep.search import stream_name
from workers.deep.task import DeepTask

pytestmark = pytest.mark.servers

BOARD, SCORE = BoardSize(8, 5), 1
"""Takes one search 26 million nodes, so that both workers take part."""


def submit(service: Service, board: BoardSize = BOARD) -> int:
    with Database.open(service.database_url) as database:
        return join_or_submit(database, DeepTask(Position(board=board), ""))[0]


def messages(service: Service, job_id: int) -> int:
    """The number of messages that the workers have exchanged."""
    with (
        Database.open(service.database_url) as database,
        redis.Redis.from_url(service.broker_url) as client,
    ):
        return client.xlen(stream_name(database, job_id))


def two_workers(service: Service, stack: ExitStack) -> tuple[Process, Process]:
    ada, bob = (
        stack.enter_context(service.worker("--threads=1", name=name)) for name in ("ada", "bob")
    )
    return ada, bob


def check_answer(service: Service, job_id: int) -> None:
    done = service("deep", "--board", str(BOARD), "--resume", "--json", "")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert (answer["job"], answer["score"], answer["proof"]["missing"]) == (job_id, SCORE, 0)
    assert answer["proof"]["derived"] > 5
    assert answer["pv_is_complete"]
    assert service.job(job_id).state is JobState.DONE


def both_search(service: Service, job_id: int) -> bool:
    return service.job(job_id).units[UnitState.LEASED] == 2 and messages(service, job_id) > 5


def test_one_of_two_workers_is_killed(one_service: Service) -> None:
    with ExitStack() as stack:
        ada, bob = two_workers(one_service, stack)
        job_id = submit(one_service)
        await_that(lambda: both_search(one_service, job_id), ada)
        bob.process.kill()
        check_answer(one_service, job_id)


def test_one_of_two_workers_is_frozen(one_service: Service) -> None:
    with ExitStack() as stack:
        ada, bob = two_workers(one_service, stack)
        job_id = submit(one_service)
        await_that(lambda: both_search(one_service, job_id), ada)
        bob.process.send_signal(signal.SIGSTOP)
        check_answer(one_service, job_id)
        bob.process.send_signal(signal.SIGCONT)
        await_that(lambda: f"of job {job_id}) lost" in bob.log, bob)
    assert one_service.job(job_id).state is JobState.DONE


def test_redis_is_emptied_again_and_again(one_service: Service) -> None:
    with ExitStack() as stack, redis.Redis.from_url(one_service.broker_url) as client:
        ada, _ = two_workers(one_service, stack)
        job_id = submit(one_service)
        await_that(lambda: both_search(one_service, job_id), ada)
        for _ in range(5):
            client.flushall()
            await_that(
                lambda: (
                    messages(one_service, job_id) or one_service.job(job_id).state is JobState.DONE
                ),
                ada,
            )
        check_answer(one_service, job_id)


def test_workers_search_without_redis(service: Service) -> None:
    """Workers with RabbitMQ share proven bounds through the database."""
    with ExitStack() as stack:
        ada, bob = two_workers(service, stack)
        job_id = submit(service)
        check_answer(service, job_id)
        shared = "without Redis, deep jobs share proven bounds only"
        for worker in (ada, bob):
            assert (shared in worker.log) is service.broker_url.startswith("amqp")


def test_an_interrupted_command_shows_the_bounds_that_workers_have_proven(
    one_service: Service,
) -> None:
    job_id = submit(one_service, BoardSize(8, 7))
    with Database.open(one_service.database_url) as database:
        command = ("-m", "cli", "deep", "--board", "8x7", "--resume", "")
        with one_service.process(*command) as process:
            await_that(lambda: "No worker takes such jobs yet" in process.log, process)
            start = Position(board="8x7")
            row = StoredEvaluation(start.canonical_key, 8, 7, 0, 1, 27, 9, ENGINE_VERSION)
            do(database, evaluations.store, start.board, [row])
            assert process.stop(signal.SIGINT) == 130
    assert "Proven so far: score +1 to +27, asked: " in process.log
    assert "The job waits for workers" in process.log
    assert one_service.job(job_id).state is JobState.RUNNING
