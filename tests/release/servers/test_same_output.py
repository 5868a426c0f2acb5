"""Commands and matches whose work two workers do over a broker, although one is killed."""

from pathlib import Path

import pytest

from c4core.arena.statistics import Sprt
from db.database import Database
from db.records.jobs import JobState, UnitState
from db.records.matches import MatchTerms
from tests.support.boards.games import LIVELY
from tests.support.boards.matches import RANDOM, SET, essence, games_of, play, terms
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from tests.support.running.watching import units
from workers.celery.broker import Broker
from workers.core.kinds import Lane
from workers.match import job as planning
from workers.match.job import plan_matches
from workers.match.units import settle_match

pytestmark = pytest.mark.servers


COMMANDS = {
    "book": ("book", "build", "--board=5x5", "--plies=8", "--table-mb=8", "--output=output"),
    "certificate": ("prove", "", "--board=7x5", "--at-most=0", "--table-mb=8", "--output=output"),
    "review": ("review", "games.txt", "--jsonl", "--output=output"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_equals_that_of_one_process(service: Service, name: str) -> None:
    games = "".join(f"{LIVELY[:length]}\n" for length in range(14, 24))
    (service.directory / "games.txt").write_text(games)
    output = service.directory / "output"
    alone = service("--broker=none", "--db=alone.db", *COMMANDS[name])
    assert alone.code == 0, alone.err
    expected = output.read_bytes()
    output.unlink()
    with (
        service.process("-m", "cli", *COMMANDS[name]) as command,
        service.worker("--threads=1", name="ada"),
        service.worker("--threads=1", name="bob") as victim,
    ):
        await_that(lambda: units(service.database_url)[UnitState.DONE] >= 1, victim)
        victim.process.kill()
        await_that(lambda: command.process.poll() is not None)
        assert command.process.returncode == 0, command.log
    assert output.read_bytes() == expected
    job = service.job(1)
    assert job.state is JobState.DONE
    assert job.units[UnitState.DONE] == sum(job.units.values())


PLAIN = terms(player_b=SET, games=200, seed=3)
TESTED = terms(player_a="blog-v6:depth=2", player_b=RANDOM, games=400, sprt=Sprt(0, 100))
KILLED = terms(player_a="montecarlo-flat:simulations=60", player_b=SET, games=60, seed=4)


def submit(service: Service, asked: MatchTerms) -> planning.MatchSubmission:
    with Database.open(service.database_url) as database:
        planned = plan_matches(database, [asked])
    Broker(service.broker_url).wake(Lane.BULK)
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
