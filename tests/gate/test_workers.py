"""One job, two real workers, a real broker and PostgreSQL: a worker is killed, nothing is lost."""

import pytest
from sqlalchemy import select

from c4core.lines import Request
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.solver import Solver
from db import evaluations
from db.database import Database
from db.models import Unit
from db.records.evaluations import EvaluationFilter
from db.records.jobs import JobState, UnitState
from tests.support.boards.games import random_games
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from tests.support.running.watching import stop_at_work
from workers.broker.doorbell import Doorbell
from workers.positions.analysis import submit
from workers.positions.book_answers import NO_BOOK
from workers.runners.remote import call_workers

GAMES = random_games(200, empty=29)
"""20 units of about 0.1 s."""


def start_job(service: Service) -> int:
    """Make a job of the games and ring for it; its number."""
    lines = [Request(number, Position(moves), moves) for number, moves in enumerate(GAMES, start=1)]
    bell = Doorbell(service.broker_url)
    with Database.open(service.database_url) as database:
        job = submit(database, lines, board=DEFAULT_BOARD, book=NO_BOOK, unit_lines=10)
        call_workers(database, bell, job.job_id)
    bell.close()
    return job.job_id


@pytest.mark.servers
def test_a_job_loses_nothing_when_one_of_two_workers_is_killed(service: Service) -> None:
    with service.worker("--threads=1", name="bob") as bob:
        job_id = start_job(service)
        await_that(lambda: service.job(job_id).units[UnitState.DONE] > 0, bob)
        stop_at_work(service.database_url, bob.process, "bob")
        done = service.job(job_id).units[UnitState.DONE]
        with service.worker("--threads=1", name="ada") as ada:
            await_that(lambda: service.job(job_id).units[UnitState.DONE] > done, ada)
            bob.process.kill()
            solver = Solver(table_mb=8)
            expected = [(moves, solver.analyze(Position(moves))) for moves in GAMES]
            # The last unit is bob's: it comes free when its lease runs out.
            followed = service("jobs", "resume", str(job_id), "--output", "-")
    assert followed.code == 0, followed.err
    assert [(shown["moves"], shown["score"], shown["scores"]) for shown in followed.objects] == [
        (moves, found.score, list(found.scores)) for moves, found in expected
    ]
    job = service.job(job_id)
    assert job.state is JobState.DONE
    assert job.positions[UnitState.DONE] == len(GAMES)
    with Database.open(service.database_url) as database, database.read() as session:
        stored = evaluations.stream(session, EvaluationFilter(board=DEFAULT_BOARD))
        scores = sorted((row.key, row.score) for row in stored)
        tries = session.execute(select(Unit.attempts, Unit.lapses)).all()
    known = {Position(moves).canonical_key: found.score for moves, found in expected}
    assert scores == sorted(known.items())
    assert {attempts for attempts, _ in tries} == {1}
    # A worker with one thread holds one unit more than it searches.
    assert sum(lapses for _, lapses in tries) in {1, 2}
