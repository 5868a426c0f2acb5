"""The most urgent unit comes first: beside a long job, others begin when a thread is free."""

import json
import re
from pathlib import Path

import pytest
import redis
from sqlalchemy import func, select

from db.database import Database
from db.models import Job, Unit
from db.records.jobs import JobState, UnitState
from tests.release.faults.figures import SLACK
from tests.release.servers.test_broker import metrics, write
from tests.support.boards.games import random_games
from tests.support.running.service import Process, Service
from tests.support.running.waiting import await_that
from workers.celery.broker import Broker
from workers.core.kinds import Lane

pytestmark = pytest.mark.servers

QUESTIONS = random_games(3, empty=26)
SHORT = random_games(20, empty=14)
DUPLICATES = 20
ANSWERED_SECONDS = 1.5
"""Until an interactive question is answered beside bulk work, without its own search."""


def build_book(service: Service, worker: Process) -> int:
    """Let the worker build a book, of which each unit takes many seconds; return the job."""
    done = service("book", "build", "--plies", "6", "--detach", "-q")
    assert done.code == 0, done.err
    job_id = int(done.out)
    await_that(lambda: service.job(job_id).units[UnitState.LEASED], worker)
    return job_id


def test_a_thread_holds_one_unit_and_questions_are_answered_beside_it(
    one_service: Service,
) -> None:
    with one_service.worker("--threads=1", "--metrics-port=127.0.0.1:0") as worker:
        (address,) = re.findall(r"metrics at (\S+)", worker.log)
        book = build_book(one_service, worker)
        for _ in range(DUPLICATES):
            Broker(one_service.broker_url).wake(Lane.BULK)
        for question in QUESTIONS:
            with one_service.process("-m", "cli", "solve", "--json", "--no-book", question) as ask:

                def is_answered(ask: Process = ask) -> bool:
                    assert one_service.job(book).units[UnitState.LEASED] <= 1
                    assert leases(address) <= 2  # with the question's
                    return ask.process.poll() is not None

                await_that(is_answered, worker)
                assert json.loads(ask.log)["moves"] == question
        assert leases(address) <= 1
        with Database.open(one_service.database_url) as database, database.read() as session:
            of_question = (Unit.job_id == Job.id, Job.label == "c4 solve")
            query = select(Job.finished_at - Job.started_at - Unit.seconds).where(*of_question)
            waited = session.scalars(query).all()
        assert len(waited) == len(QUESTIONS)
        assert max(waited) < ANSWERED_SECONDS * SLACK
        assert one_service("jobs", "cancel", str(book)).code == 0
        with redis.Redis.from_url(one_service.broker_url) as client:
            await_that(lambda: not client.exists(Lane.BULK.queue, "unacked"), worker)
        assert leases(address) == 0


def leases(address: str) -> float:
    (found,) = re.findall(r"^c4_leases (\S+)", metrics(address), re.MULTILINE)
    return float(found)


def test_a_job_of_higher_priority_begins_after_one_unit(
    one_service: Service, tmp_path: Path
) -> None:
    with one_service.worker("--threads=1") as worker:
        book = build_book(one_service, worker)
        urgent = one_service("analyze", "--priority=5", "--detach", "-q", write(tmp_path, SHORT))
        assert urgent.code == 0, urgent.err
        job_id = int(urgent.out)
        await_that(lambda: one_service.job(job_id).state is JobState.DONE, worker)
        job = one_service.job(job_id)
        finished_between = (
            select(func.count())
            .select_from(Unit)
            .where(Unit.job_id == book, Unit.finished_at.between(job.started_at, job.finished_at))
        )
        with Database.open(one_service.database_url) as database, database.read() as session:
            assert session.scalar(finished_between) <= 1
        assert one_service.job(book).state is JobState.RUNNING
