"""Servers that can be killed, the disturbed job, and its figures."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kombu import Connection

from tests.release.faults.figures import Figures, table
from tests.release.faults.run import Answers, Scenarios, job_positions
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import Server
from tests.support.running.servers import PostgreSQLServer, RabbitMQServer, RedisServer
from workers.core.kinds import Lane

ALL_FIGURES = pytest.StashKey[list[Figures]]()
UNDISTURBED = pytest.StashKey[dict[str, Answers]]()


def pytest_configure(config: pytest.Config) -> None:
    """Make signals that end the tests end their servers as well."""
    config.stash[ALL_FIGURES] = []
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show the figures, as a table for the reliability log."""
    found = config.stash[ALL_FIGURES]
    if found:
        terminalreporter.section("figures")
        terminalreporter.write_line(table(found))


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    capture = request.config.pluginmanager.get_plugin("capturemanager")
    begin = time.monotonic()

    def tell(text: str) -> None:
        with capture.global_and_fixture_disabled():
            reporter.write_line(f"  {time.monotonic() - begin:5.1f} s  {text}")

    return tell


@pytest.fixture(scope="session")
def database_server() -> Iterator[PostgreSQLServer]:
    """PostgreSQL as in a deployment, which may be stopped at any moment."""
    with PostgreSQLServer(durable=True) as server:
        yield server


@pytest.fixture(scope="session")
def databases(database_server: PostgreSQLServer) -> PostgresDatabases:
    """Make databases on that server; they are dropped with it."""
    return PostgresDatabases(database_server.url)


@pytest.fixture(scope="session", params=[RedisServer, RabbitMQServer], ids=["redis", "rabbitmq"])
def broker_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A broker that may be killed at any moment; every test runs with each kind."""
    with request.param() as server:
        yield server


@pytest.fixture
def broker(broker_server: Server) -> Server:
    _drop_queues(broker_server.url)
    return broker_server


@pytest.fixture
def scenarios(
    databases: PostgresDatabases,
    broker: Server,
    tmp_path: Path,
    say: Callable[[str], None],
    request: pytest.FixtureRequest,
) -> Scenarios:
    keep = request.config.stash[ALL_FIGURES].append
    return Scenarios(databases, broker, tmp_path, say, keep)


@pytest.fixture
def undisturbed(scenarios: Scenarios, broker: Server, request: pytest.FixtureRequest) -> Answers:
    """The answers of a run without a fault, made once with each kind of broker."""
    made = request.session.stash.setdefault(UNDISTURBED, {})
    if broker.title not in made:
        with scenarios.begin("none", next(iter(made.values()), None)) as run:
            run.finish()
        assert run.answers is not None
        assert len(run.answers.lines) == job_positions()
        made[broker.title] = run.answers
    return made[broker.title]


def _drop_queues(url: str) -> None:
    with Connection(url) as connection, connection.channel() as channel:
        for lane in Lane:
            channel.queue_delete(lane.queue)
