"""One job, two real workers, a real broker and PostgreSQL: a worker is killed, nothing is lost."""

import pytest
from sqlalchemy import select

from db.database import Database
from db.models import Unit
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.kills import check_analysis, plan_analysis
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from tests.support.running.watching import stop_at_work
from workers.broker.doorbell import Doorbell
from workers.runners.remote import call_workers

GAMES = random_games(200, empty=29)
"""20 units of about 0.1 s."""


@pytest.mark.servers
def test_a_job_loses_nothing_when_one_of_two_workers_is_killed(service: Service) -> None:
    url = service.database_url
    with service.worker("--threads=1", name="bob") as bob:
        job_id = plan_analysis(url, GAMES)
        ring(service, job_id)
        await_that(lambda: service.job(job_id).units[UnitState.DONE] > 0, bob)
        stop_at_work(url, bob.process, "bob")
        done = service.job(job_id).units[UnitState.DONE]
        with service.worker("--threads=1", name="ada") as ada:
            await_that(lambda: service.job(job_id).units[UnitState.DONE] > done, ada)
            bob.process.kill()
            # What bob holds comes free when its lease runs out.
            followed = service("jobs", "resume", str(job_id), "--output", "-")
    assert followed.code == 0, followed.err
    check_analysis(url, job_id, GAMES, followed.objects)
    with Database.open(url) as database, database.read() as session:
        tries = session.execute(select(Unit.attempts, Unit.lapses)).all()
    assert {attempts for attempts, _ in tries} == {1}
    # A worker with one thread holds one unit more than it searches.
    assert sum(lapses for _, lapses in tries) in {1, 2}


def ring(service: Service, job_id: int) -> None:
    """Tell the broker of the first units."""
    bell = Doorbell(service.broker_url)
    with Database.open(service.database_url) as database:
        call_workers(database, bell, job_id)
    bell.close()
