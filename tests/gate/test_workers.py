"""One job with two workers, a broker and PostgreSQL: if a worker is killed, nothing is lost."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import select, text

from db.database import Database
from db.models import Unit
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.kills import check_analysis, plan_analysis
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from workers.celery.broker import Broker
from workers.core.kinds import Lane

GAMES = random_games(300, empty=29)
"""Thirty units of about 0.1 s."""


@pytest.mark.servers
def test_a_job_loses_nothing_when_one_of_two_workers_is_killed(service: Service) -> None:
    url = service.database_url
    with (
        service.worker("--threads=1", name="ada") as ada,
        service.worker("--threads=1", name="bob") as bob,
    ):
        with no_results(url):
            job_id = plan_analysis(url, GAMES)
            Broker(service.broker_url).wake(Lane.BULK)
            await_that(lambda: service.job(job_id).units[UnitState.LEASED] == 2, ada)
            bob.process.kill()
        # The unit that bob holds becomes free when its lease expires.
        followed = service("jobs", "resume", str(job_id), "--output", "-")
    assert followed.code == 0, followed.err
    check_analysis(url, job_id, GAMES, followed.objects)
    with Database.open(url) as database, database.read() as session:
        of_job = Unit.job_id == job_id
        attempts = session.scalars(select(Unit.attempts).where(of_job)).all()
    assert sorted(attempts) == [*[1] * (len(attempts) - 1), 2]


@contextmanager
def no_results(url: str) -> Iterator[None]:
    """Let no worker store evaluations within this context, so that none completes its unit."""
    with Database.open(url) as database, database.write() as session:
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        session.execute(text("LOCK TABLE evaluations IN SHARE MODE"))
        yield
