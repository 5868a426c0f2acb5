"""Fixtures that all tests share, and the databases that the storage tests run on.

Storage tests run twice: on SQLite and on PostgreSQL. The server is the one at the URL in
``C4_TEST_POSTGRES``, or with ``C4_TEST_SERVERS=1`` one that is started from the installed server
programs. With neither, the half that needs it is left out, and the summary says so.
"""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from db.database import Database
from tests.support.databases import (
    FakeClock,
    PostgresServer,
    clear,
    server_binaries,
    started_server,
)

settings.register_profile("c4", deadline=None)  # the time of a test is not what it is about
settings.load_profile("c4")

LEFT_OUT = pytest.StashKey[list[str]]()
POSTGRES_URL = os.environ.get("C4_TEST_POSTGRES")
START_SERVERS = os.environ.get("C4_TEST_SERVERS") == "1"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs a server that there is not."""
    config.stash[LEFT_OUT] = []
    if POSTGRES_URL or START_SERVERS:
        return
    left_out = [item for item in items if item.get_closest_marker("postgres")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("postgres")]
    config.stash[LEFT_OUT] = [item.nodeid for item in left_out]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name what was left out, so that nobody takes it for tested."""
    left_out = config.stash.get(LEFT_OUT, [])
    if not left_out:
        return
    terminalreporter.section("LEFT OUT", red=True, bold=True)
    terminalreporter.line(
        f"{len(left_out)} tests need a PostgreSQL server and did NOT run. Set C4_TEST_SERVERS=1 to "
        "start one from its installed programs, or C4_TEST_POSTGRES to the URL of one.",
        red=True,
    )
    for name, number in Counter(name.partition("::")[0] for name in left_out).items():
        terminalreporter.line(f"{name}: {number}")
    if config.get_verbosity() > 0:
        for name in left_out:
            terminalreporter.line(name)
    else:
        terminalreporter.line("(-v names every one)")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server that the tests marked ``postgres`` use."""
    if POSTGRES_URL:
        server = PostgresServer(POSTGRES_URL)
        yield server
        server.close()
        return
    binaries = server_binaries()
    if binaries is None:
        pytest.fail("C4_TEST_SERVERS=1, but no PostgreSQL server programs are installed")
    with started_server(binaries) as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite database with C4's tables, to be copied: faster than making them."""
    path = tmp_path_factory.mktemp("template") / "c4.db"
    Database.open(str(path)).close()
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables (PostgreSQL), or of no file yet (SQLite)."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'c4.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    with server.database(initialised=False) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with C4's tables and no rows."""
    if request.param == "sqlite":
        path = tmp_path / "c4.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    with server.database(initialised=True) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A database with C4's tables that tests take turns to use: faster than one each."""
    with postgres_server.database(initialised=True) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def rows_url(request: pytest.FixtureRequest) -> str:
    """The URL of a database with no rows, for tests that leave its tables as they are."""
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
    """A clock that the test turns on; see ``timed``."""
    return FakeClock()


@pytest.fixture
def timed(rows_url: str, clock: FakeClock) -> Iterator[Database]:
    """A database whose clock the test turns on."""
    with Database.open(rows_url, clock=clock) as database:
        yield database


@pytest.fixture
def sqlite_path(tmp_path: Path, sqlite_template: Path) -> Path:
    """The path of an SQLite database with C4's tables and no rows."""
    path = tmp_path / "c4.db"
    shutil.copy(sqlite_template, path)
    return path
