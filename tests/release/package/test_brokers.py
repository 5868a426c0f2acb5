"""The installed program with a broker, PostgreSQL and two workers, one of which is killed."""

import json
from pathlib import Path

from db import jobs
from db.database import Database
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.running.databases import PostgresDatabases
from tests.support.running.environments import Environment
from tests.support.running.waiting import await_that

SECONDS = 180


def essence(path: Path) -> list[tuple[object, ...]]:
    """The results without the details of how they were found."""
    lines = map(json.loads, path.read_text().splitlines())
    return [(line["moves"], line["score"], line["scores"], line["best"]) for line in lines]


def is_done(url: str, number: int) -> bool:
    """Whether this many units of the only job are done."""
    with Database.open(url) as database, database.read() as session:
        found = jobs.list_jobs(session)
    return bool(found) and found[0].units[UnitState.DONE] >= number


def test_a_batch_survives_a_worker(
    installed: Environment, broker_url: str, postgres_server: PostgresDatabases
) -> None:
    directory = installed.directory
    games = random_games(500, empty=29)
    (directory / "positions.txt").write_text("\n".join(games) + "\n")
    analyze = "c4 analyze -q positions.txt > {}.jsonl"
    alone = installed.shell(analyze.format("alone"), C4_DB="alone.db")
    assert alone.code == 0, alone.err

    with postgres_server.database(initialised=False) as url:
        service = {"C4_DB": url, "C4_BROKER": broker_url}
        assert installed.shell("c4 db init", **service).code == 0
        worker = "c4 worker --threads 1 --table-mb 8 --name {}"
        workers = [installed.start(worker.format(name), **service) for name in ("ada", "bob")]
        batch = installed.start(analyze.format("together"), **service)
        try:
            await_that(lambda: is_done(url, 1), seconds=SECONDS)
            workers[0].kill()
            assert batch.poll() is None
            assert batch.wait(SECONDS) == 0, (directory / "log").read_text()
            assert workers[1].poll() is None
            workers[1].terminate()
            assert workers[1].wait(SECONDS) == 0
        finally:
            for process in (batch, *workers):
                process.kill()
                process.wait()
        with Database.open(url) as database, database.read() as session:
            (job,) = jobs.list_jobs(session)
    assert [line[0] for line in essence(directory / "together.jsonl")] == games
    assert essence(directory / "together.jsonl") == essence(directory / "alone.jsonl")
    assert job.positions[UnitState.DONE] == len(games)
