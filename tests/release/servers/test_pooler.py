"""PostgreSQL behind a pooler, which gives a client's next transaction another server process."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text

from db.database import Database
from db.evaluations import find
from db.records.jobs import JobState
from tests.release.servers.test_broker import GAMES, give_endless_work, without_effort, write
from tests.support.running.command_line import C4
from tests.support.running.databases import BOARD, PostgresDatabases
from tests.support.running.servers import PgBouncer, RedisServer
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from tests.support.running.watching import holds_unit

pytestmark = pytest.mark.servers

CONNECTIONS = 3
SETTINGS = ("idle_in_transaction_session_timeout", "tcp_keepalives_idle", "statement_timeout")


@pytest.fixture(params=["transaction", "session"])
def pooler(request: pytest.FixtureRequest, postgres_server: PostgresDatabases) -> Iterator[str]:
    """The URL of a database through a pooler."""
    # In session mode a connection belongs to its client until the client closes it.
    most = CONNECTIONS if request.param == "transaction" else 20
    with (
        postgres_server.database(initialised=True) as url,
        PgBouncer(url, mode=request.param, connections=most) as server,
    ):
        yield server.url


def test_two_workers_behind_a_pooler_although_one_is_killed(
    pooler: str, redis_server: RedisServer, tmp_path: Path
) -> None:
    path = write(tmp_path, GAMES)
    here = C4(tmp_path)("--broker", "none", "analyze", path)
    service = Service(tmp_path, pooler, redis_server.url)
    with service.worker("--threads=1", name="ada") as ada:
        submitted = service("analyze", "--detach", "-q", path)
        assert submitted.code == 0, submitted.err
        await_that(lambda: "done:" in ada.log)
        give_endless_work(service)
        with service.worker("--threads=1", name="bob"), Database.open(pooler) as database:
            ada.process.kill()
            await_that(lambda: service.job(1).state is JobState.DONE)
            await_that(lambda: holds_unit(database, "bob"))
    there = service("jobs", "results", "1")
    assert without_effort(there) == without_effort(here)
    for log in tmp_path.glob("*.log"):
        assert "prepared statement" not in log.read_text()
        assert "ERROR" not in log.read_text()


def test_settings_do_not_leak_and_every_writer_has_a_timeout(pooler: str) -> None:
    def look(database: Database, *, writes: bool) -> str:
        with database.write() if writes else database.read() as session:
            time.sleep(0.01)  # so that the others need connections of their own
            return session.scalar(text("SHOW idle_in_transaction_session_timeout"))

    with ExitStack() as opened, ThreadPoolExecutor(CONNECTIONS) as threads:
        databases = [opened.enter_context(Database.open(pooler)) for _ in range(8)]
        for writes, limit in ((True, "30s"), (False, "0")):
            seen = threads.map(lambda one, writes=writes: look(one, writes=writes), databases * 5)
            assert set(seen) == {limit}
        for database in databases * 5:
            with database._engine.connect() as connection:
                driver = connection.connection.driver_connection
                found = [driver.execute(f"SHOW {name}").fetchone()[0] for name in SETTINGS]
                prepared = driver.execute("SELECT name FROM pg_prepared_statements").fetchall()
            assert (found, prepared) == (["0", "7200", "0"], [])


@pytest.mark.parametrize("number", ["0", "7"])
def test_the_url_sets_when_statements_are_prepared(
    postgres_server: PostgresDatabases, number: str
) -> None:
    with postgres_server.database(initialised=True) as url:
        joint = "&" if "?" in url else "?"
        chosen = f"{url}{joint}prepare_threshold={number}"
        with Database.open(chosen) as database, database.read() as session:
            for _ in range(10):
                find(session, BOARD, 1)
            query = text("SELECT count(*) FROM pg_prepared_statements")
            assert session.scalar(query) == (0 if number == "0" else 1)
