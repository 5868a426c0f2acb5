"""One job with two workers, a broker and PostgreSQL: if a worker is killed, nothing is lost."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import select, text

from db.database import Database
from db.models import Unit
from db.records.jobs import JobState
from tests.support.boards.games import random_games
from tests.support.kills import check_analysis, plan_analysis
from tests.support.running.service import Process, Service
from tests.support.running.waiting import await_that
from tests.support.running.watching import kill_at_work
from workers.celery.doorbell import Doorbell
from workers.runners.remote import call_workers

GAMES = random_games(300, empty=29)
"""Thirty units of about 0.1 s."""
FIRST = GAMES[-40:]


@pytest.mark.servers
def test_a_job_loses_nothing_when_one_of_two_workers_is_killed(service: Service) -> None:
    url = service.database_url
    with (
        service.worker("--threads=1", name="ada") as ada,
        service.worker("--threads=1", name="bob") as bob,
    ):
        await_that(lambda: takes_messages(service, ada, bob), bob)
        job_id = plan_analysis(url, GAMES)
        with no_results(url):
            ring(service, job_id)
            kill_at_work(url, bob.process, "bob")
        # The unit that bob holds becomes free when its lease expires.
        followed = service("jobs", "resume", str(job_id), "--output", "-")
    assert followed.code == 0, followed.err
    check_analysis(url, job_id, GAMES, followed.objects)
    with Database.open(url) as database, database.read() as session:
        of_job = Unit.job_id == job_id
        tries = session.execute(select(Unit.attempts, Unit.lapses).where(of_job)).all()
    assert {attempts for attempts, _ in tries} == {1}
    assert any(lapses for _, lapses in tries)


@contextmanager
def no_results(url: str) -> Iterator[None]:
    """Let no worker store evaluations within this context, so that none completes its unit."""
    with Database.open(url) as database, database.write() as session:
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        session.execute(text("LOCK TABLE evaluations IN SHARE MODE"))
        yield


def takes_messages(service: Service, *workers: Process) -> bool:
    """Run a small job; return whether each worker has done a part of it.

    A worker is registered before it takes messages.
    """
    job_id = plan_analysis(service.database_url, FIRST)
    ring(service, job_id)
    await_that(lambda: service.job(job_id).state is JobState.DONE)
    return all(" done: " in worker.log for worker in workers)


def ring(service: Service, job_id: int) -> None:
    """Announce the first units to the broker."""
    bell = Doorbell(service.broker_url)
    with Database.open(service.database_url) as database:
        call_workers(database, bell, job_id)
    bell.close()
