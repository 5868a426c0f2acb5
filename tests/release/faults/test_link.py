"""Connections to a database whose network is cut: both ends give up in time."""

import os
import time
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from db.database import Database
from db.errors import UnreachableError
from tests.release.faults.figures import SLACK
from tests.release.faults.link import DistantPostgreSQL

pytestmark = [
    pytest.mark.servers,
    pytest.mark.faults,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a network to be cut"),
]

NOTICED_SECONDS = 10.0
"""A lease's length: by then, a worker that cannot extend it must notice."""
RELEASED_SECONDS = 10.0


@pytest.fixture(scope="module")
def server() -> Iterator[DistantPostgreSQL]:
    with DistantPostgreSQL() as server:
        yield server


def ask(session: Session) -> None:
    session.execute(text("SELECT 1"))


def test_a_client_waiting_for_an_answer_gets_an_error(server: DistantPostgreSQL) -> None:
    with Database.open(server.by_link(server.url)) as database:
        database.run(ask)
        server.cut()
        begin = time.monotonic()
        try:
            with pytest.raises(UnreachableError):
                database.run(ask)
            assert time.monotonic() - begin < NOTICED_SECONDS * SLACK
        finally:
            server.mend()
        begin = time.monotonic()
        database.run(ask)
        assert time.monotonic() - begin < 1 * SLACK


def test_locks_of_a_lost_client_are_released(
    server: DistantPostgreSQL, say: Callable[[str], None]
) -> None:
    lock = text("SELECT pg_advisory_xact_lock(4)")
    is_free = text("SELECT pg_try_advisory_xact_lock(4)")
    with Database.open(server.by_link(server.url)) as client, Database.open(server.url) as other:

        def be_lost(session: Session) -> None:
            session.execute(lock)
            server.cut()
            session.execute(text("SELECT 1"))

        with pytest.raises(UnreachableError):
            client.run(be_lost)
        server.mend()
        begin = time.monotonic()
        while not other.run(lambda session: session.scalar(is_free)):
            assert time.monotonic() - begin < RELEASED_SECONDS * SLACK, (
                "the server still waits for its client"
            )
            time.sleep(0.1)
        say(f"free {time.monotonic() - begin:.1f} s after the network was back")
