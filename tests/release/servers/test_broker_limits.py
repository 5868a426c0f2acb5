"""Limits and versions of brokers: long units are done once, and lost messages block nothing."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from c4core.lines import Request
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.models import Unit
from db.records.jobs import JobState
from tests.support.running.databases import PostgresDatabases
from tests.support.running.servers import RabbitMQServer, RedisServer
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from workers.analyze.job import submit
from workers.celery.messaging import make_app

pytestmark = pytest.mark.servers


def test_a_unit_longer_than_the_consumer_timeout_is_done_once(
    tmp_path: Path, postgres_server: PostgresDatabases
) -> None:
    with (
        RabbitMQServer("{consumer_timeout, 10000}", "{channel_tick_interval, 2000}") as server,
        postgres_server.database(initialised=True) as url,
    ):
        solve_for(Service(tmp_path, url, server.url), seconds=30)
        # The server has closed the channel, and sent the message again.
        assert "delivery acknowledgement on channel" in server.logs()


def test_a_unit_longer_than_the_visibility_timeout_is_done_once(one_service: Service) -> None:
    options = make_app(one_service.broker_url).conf.broker_transport_options
    solve_for(one_service, seconds=options["visibility_timeout"] + 10)


def test_a_worker_continues_while_the_broker_is_unreachable(
    tmp_path: Path, postgres_server: PostgresDatabases
) -> None:
    with RedisServer() as server, postgres_server.database(initialised=True) as url:
        service = Service(tmp_path, url, server.url)
        server.kill()
        with Database.open(url) as database:
            lines = [Request(1, Position("1122"), "1122")]
            job_id = submit(database, lines, board=DEFAULT_BOARD).job_id
        with service.worker("--threads=1") as worker:
            await_that(lambda: service.job(job_id).state is JobState.DONE, worker)
            await_that(lambda: "asks the database for work meanwhile" in worker.log, worker)
            await_that(lambda: "cannot reach the broker" in service("status").out, worker)
            assert worker.stop() == 0
        assert worker.log.count("asks the database for work meanwhile") == 1


def test_workers_of_another_engine_give_a_message_to_the_user(one_service: Service) -> None:
    other = (
        "import c4core.version as v; v.ENGINE_VERSION += 1; from cli.__main__ import main; main()"
    )
    command = ("-c", other, "worker", "--table-mb=1", "--name=newer")
    with one_service.process(*command) as worker:
        await_that(lambda: "newer" in one_service.workers(), worker)
        with one_service.process("-m", "cli", "analyze", "--sample") as asking:
            await_that(lambda: "No worker takes such jobs yet" in asking.log, asking)
        reason = f"are for engine version {ENGINE_VERSION}, this is {ENGINE_VERSION + 1}"
        await_that(lambda: reason in worker.log, worker)
        shown = one_service("status")
        assert reason in shown.out
        assert "No process is working on 1 job" in shown.err
        (idle,) = json.loads(one_service("status", "--json").out)["live_workers"]
        assert reason in idle["note"]
        assert " waiting " in one_service("jobs", "list").out


def solve_for(service: Service, *, seconds: int) -> None:
    """Let a worker search for some time in one unit, which must be claimed once."""
    with service.worker("--threads=1") as worker:
        asked = ("solve", "--json", "--no-book", "--board=8x7", f"--time-limit={seconds}", "")
        (answer,) = service(*asked).objects
        assert answer["seconds"] >= 0.9 * seconds
        assert "Traceback" not in worker.log
    with Database.open(service.database_url) as database, database.read() as session:
        (unit,) = session.execute(select(Unit.fence, Unit.attempts, Unit.lapses)).all()
    assert tuple(unit) == (1, 1, 0)
