"""Fixtures for all tests, and the servers and databases that some of them need.

Storage tests run twice: on SQLite and on PostgreSQL. Some tests also need brokers. The servers are
the ones at the URLs in ``C4_TEST_POSTGRES``, ``C4_TEST_REDIS`` and ``C4_TEST_RABBITMQ``. With
``C4_TEST_SERVERS=1``, the installed server programs are started when a test first needs them. Tests
whose server is missing are left out, and the summary says so.
"""

import gc
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from db.database import Database
from tests.support.running.command_line import C4
from tests.support.running.databases import FakeClock, PostgresDatabases, clear
from tests.support.running.server_process import GivenServer, Server
from tests.support.running.servers import PostgreSQLServer, RabbitMQServer, RedisServer
from tests.support.running.service import Service
from workers.answers import question as answering

# These tests do not measure time. With CI in the environment, this profile inherits fixed examples
# from Hypothesis's own CI profile.
settings.register_profile("c4", deadline=None)
settings.load_profile("c4")

if sys.dont_write_bytecode:
    # Several hundred processes would otherwise compile the same modules.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

LEFT_OUT = pytest.StashKey[list[str]]()
START_SERVERS = os.environ.get("C4_TEST_SERVERS") == "1"
SERVERS = (RedisServer, RabbitMQServer, PostgreSQLServer)
NEEDED: dict[str, tuple[type[Server], ...]] = {"postgres": (PostgreSQLServer,), "servers": SERVERS}


def pytest_configure() -> None:
    """Handle Ctrl-C and hang-ups: tests send them, but ``&`` and ``nohup`` ignore them."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # This process ignores hang-ups; the processes that it starts get the default action.
        signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without the garbage collector, and freeze the objects that all tests share."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


# After -m and -k, so that only selected tests are reported as left out.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests whose servers are missing; the summary of the main process names them."""
    left_out = [item for item in items if not _has_servers(item)]
    config.stash[LEFT_OUT] = [item.nodeid for item in left_out]
    if hasattr(config, "workeroutput"):  # this is one of several pytest-xdist processes
        config.workeroutput["left_out"] = config.stash[LEFT_OUT]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _has_servers(item)]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 (pytest-xdist's, if it is there)
    """Take the list from one of several processes; they all leave out the same tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", [])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Use three processes for two cores: they wait for other processes half the time.

    If a server was given by URL, use one process only, because its queues are shared.
    """
    if any(kind.variable in os.environ for kind in SERVERS):
        return 1
    return max(2, len(os.sched_getaffinity(0)) * 3 // 2)


def _has_servers(item: pytest.Item) -> bool:
    """Whether the servers that a test needs are available."""
    if START_SERVERS:
        return True
    needed = {kind for mark, kinds in NEEDED.items() if mark in item.keywords for kind in kinds}
    # A test may only kill or stop a server that the tests started themselves.
    return "faults" not in item.keywords and all(kind.variable in os.environ for kind in needed)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """List the tests that were left out."""
    left_out = config.stash.get(LEFT_OUT, [])
    if not left_out:
        return
    terminalreporter.section("LEFT OUT", red=True, bold=True)
    terminalreporter.line(
        f"{len(left_out)} tests need servers (PostgreSQL, some Redis and RabbitMQ too) and did NOT "
        "run. Set C4_TEST_SERVERS=1 to start the servers from their installed programs, or set "
        f"{', '.join(kind.variable for kind in SERVERS)} to the URLs of running servers.",
        red=True,
    )
    for name, number in Counter(name.partition("::")[0] for name in left_out).items():
        terminalreporter.line(f"{name}: {number}")
    if config.get_verbosity() > 0:
        for name in left_out:
            terminalreporter.line(name)
    else:
        terminalreporter.line("(-v names every one)")


@pytest.fixture(autouse=True)
def no_shipped_book(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Disable the shipped book in this process, so that positions in tests are searched."""
    answering.shipped_book.cache_clear()
    with monkeypatch.context() as changes:
        changes.setattr(answering, "_shipped", lambda _board: None)
        yield
    answering.shipped_book.cache_clear()


@pytest.fixture
def c4(tmp_path: Path) -> C4:
    """Run `c4` in an empty directory."""
    return C4(tmp_path)


@contextmanager
def _server(kind: type[Server]) -> Iterator[Server | GivenServer]:
    """A server given by URL, or one started for the tests."""
    given = os.environ.get(kind.variable)
    if given:
        yield GivenServer(given)
        return
    if kind.program() is None:
        pytest.fail(
            f"C4_TEST_SERVERS=1, but {kind.title} is not installed (Debian's package "
            f"{kind.package}), and {kind.variable} names no server",
            pytrace=False,
        )
    with kind() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server | GivenServer]:
    """Redis, at its ``url``. Tests that use it are marked ``servers``, as with RabbitMQ."""
    with _server(RedisServer) as server:
        yield server


@pytest.fixture(scope="session")
def rabbitmq_server() -> Iterator[Server | GivenServer]:
    with _server(RabbitMQServer) as server:
        yield server


@pytest.fixture(
    params=[
        pytest.param("redis_server", id="redis", marks=pytest.mark.servers),
        pytest.param("rabbitmq_server", id="rabbitmq", marks=pytest.mark.servers),
    ]
)
def broker_url(request: pytest.FixtureRequest) -> str:
    """The URL of a broker: the test runs once on each kind."""
    url: str = request.getfixturevalue(request.param).url
    return url


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresDatabases]:
    """The PostgreSQL server of the tests marked ``postgres`` and ``servers``."""
    with _server(PostgreSQLServer) as server:
        databases = PostgresDatabases(server.url)
        try:
            yield databases
        finally:
            databases.close()


@pytest.fixture
def service(
    tmp_path: Path, broker_url: str, postgres_server: PostgresDatabases
) -> Iterator[Service]:
    """A service with PostgreSQL; the test runs once with each kind of broker."""
    with postgres_server.database(initialised=True) as url:
        yield Service(tmp_path, url, broker_url)


@pytest.fixture
def one_service(
    tmp_path: Path, request: pytest.FixtureRequest, postgres_server: PostgresDatabases
) -> Iterator[Service]:
    """A service with PostgreSQL and Redis, for tests that do not depend on the kind of broker."""
    broker_url = request.getfixturevalue("redis_server").url
    with postgres_server.database(initialised=True) as url:
        yield Service(tmp_path, url, broker_url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite database with C4's tables; copying it is faster than creating one."""
    path = tmp_path_factory.mktemp("template") / "c4.db"
    Database.open(str(path)).close()
    return path


def on_both(fixture: Any) -> Any:  # noqa: ANN401 (pytest's decorator)
    """A fixture for tests that run on SQLite and on PostgreSQL."""
    kinds = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
    return pytest.fixture(params=kinds)(fixture)


@on_both
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables (PostgreSQL), or of no file yet (SQLite)."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'c4.db'}"
        return
    with request.getfixturevalue("postgres_server").database(initialised=False) as url:
        yield url


@on_both
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database with C4's tables and no rows."""
    if request.param == "sqlite":
        yield f"sqlite:///{request.getfixturevalue('sqlite_path')}"
        return
    with request.getfixturevalue("postgres_server").database(initialised=True) as url:
        yield url


@pytest.fixture
def untouched(database_url: str) -> Iterator[Database]:
    """A new database, open, for tests of query plans.

    In a database that tests reuse, PostgreSQL's vacuum may have seen the tables empty.
    """
    with Database.open(database_url) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresDatabases) -> Iterator[str]:
    """A database with C4's tables that tests share one after another: faster than one for each."""
    with postgres_server.database(initialised=True) as url:
        yield url


@on_both
def rows_url(request: pytest.FixtureRequest) -> str:
    """The URL of a database with no rows, for tests that do not change its tables."""
    if request.param == "sqlite":
        return f"sqlite:///{request.getfixturevalue('sqlite_path')}"
    url: str = request.getfixturevalue("postgres_url")
    with Database.open(url) as shared:
        clear(shared)
    return url


@pytest.fixture
def database(rows_url: str) -> Iterator[Database]:
    """A database with no rows, open."""
    with Database.open(rows_url) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    """A clock that the test advances; see ``timed``."""
    return FakeClock()


@pytest.fixture
def timed(rows_url: str, clock: FakeClock) -> Iterator[Database]:
    """A database whose clock the test advances."""
    with Database.open(rows_url, clock=clock) as database:
        yield database


@pytest.fixture
def sqlite_path(tmp_path: Path, sqlite_template: Path) -> Path:
    """The path of an SQLite database with C4's tables and no rows."""
    path = tmp_path / "c4.db"
    shutil.copy(sqlite_template, path)
    return path
