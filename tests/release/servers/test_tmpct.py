"""Limits and versions of brokers: long units are done once, and nobody waits for a lost message."""

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
from workers.broker.messaging import make_app
from workers.positions.analysis import submit

pytestmark = pytest.mark.servers


def test_a_unit_longer_than_the_consumer_timeout_is_done_once(
    tmp_path: Path, postgres_server: PostgresDatabases
) -> None:
    with (
        RabbitMQServer("{consumer_timeout, 60000}", "{channel_tick_interval, 10000}") as server,
        postgres_server.database(initialised=True) as url,
    ):
        solve_for(Service(tmp_path, url, server.url), seconds=180)
        # The server has cut the channel, and sent the message again.
        assert "delivery acknowledgement on channel" in server.logs()


def solve_for(service: Service, *, seconds: int) -> None:
    """Let a worker search for a time in one unit, which must be claimed once."""
    with service.worker("--threads=1") as worker:
        asked = ("solve", "--json", "--no-book", "--board=8x7", f"--time-limit={seconds}", "")
        (answer,) = service(*asked).objects
        assert answer["seconds"] >= 0.9 * seconds
        assert "Traceback" not in worker.log
    with Database.open(service.database_url) as database, database.read() as session:
        (unit,) = session.execute(select(Unit.fence, Unit.attempts, Unit.lapses)).all()
    assert tuple(unit) == (1, 1, 0)
