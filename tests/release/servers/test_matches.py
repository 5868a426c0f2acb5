"""Matches played by real worker processes, over real brokers."""

from dataclasses import replace
from pathlib import Path

import pytest

from c4core.arena.statistics import Sprt
from db.database import Database
from db.records.jobs import JobState, UnitState
from db.records.matches import MatchTerms
from tests.support.boards.matches import (
    RANDOM,
    SET,
    THINKERS,
    essence,
    games_of,
    play,
    terms,
    thinking_program,
)
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from workers.celery.doorbell import Doorbell
from workers.match import job as planning
from workers.match.job import plan_matches
from workers.match.units import settle_match
from workers.runners.remote import call_workers

pytestmark = pytest.mark.servers

PLAIN = terms(player_b=SET, games=200, seed=3)
TESTED = terms(player_a="blog-v6:depth=2", player_b=RANDOM, games=400, sprt=Sprt(0, 100))
KILLED = terms(player_a="montecarlo-flat:simulations=60", player_b=SET, games=60, seed=4)


def submit(service: Service, asked: MatchTerms) -> planning.MatchSubmission:
    """Plan a match and announce it."""
    bell = Doorbell(service.broker_url)
    with Database.open(service.database_url) as database:
        planned = plan_matches(database, [asked])
        call_workers(database, bell, planned.job_id)
    bell.close()
    return planned


def test_workers_play_the_same_games(
    service: Service, sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)
    with Database.open(str(sqlite_path)) as database:
        here = {
            asked: essence(games_of(database, play(database, asked).id))
            for asked in (PLAIN, TESTED, KILLED)
        }
    with service.worker("--threads=2", name="ada"), service.worker("--threads=1", name="bob") as b:
        for asked, expected in here.items():
            planned = submit(service, asked)
            job_id, match_id = planned.job_id, planned.match_ids[0]
            if asked is KILLED:
                # One of them dies during the match; the other continues.
                await_that(lambda: service.job(job_id).units[UnitState.DONE] > 0)  # noqa: B023
                b.process.kill()
            await_that(lambda: service.job(job_id).state is JobState.DONE)  # noqa: B023
            with Database.open(service.database_url) as database:
                settle_match(database, match_id)
                assert essence(games_of(database, match_id)) == expected


@pytest.mark.parametrize("name", ["minimax", "program"])
def test_a_worker_is_free_for_others_after_a_match_is_cancelled(
    service: Service, tmp_path: Path, name: str
) -> None:
    """The cancelled match would take hours."""
    player = THINKERS[0] if name == "minimax" else thinking_program(tmp_path, "asleep")
    endless = terms(player_a=player, games=2)
    with service.worker("--threads=1", "--allow-programs") as worker:
        planned = submit(service, endless)
        await_that(lambda: service.job(planned.job_id).units[UnitState.LEASED] >= 1)
        if name == "program":
            await_that((tmp_path / "thinking").exists)
        assert service("jobs", "cancel", str(planned.job_id)).code == 0
        other = submit(service, terms())
        await_that(lambda: service.job(other.job_id).state is JobState.DONE)
        # And it ends during a move.
        again = submit(service, replace(endless, seed=1))
        await_that(lambda: service.job(again.job_id).units[UnitState.LEASED] >= 1)
        assert worker.stop() == 0
        assert service.job(again.job_id).units[UnitState.LEASED] == 0
