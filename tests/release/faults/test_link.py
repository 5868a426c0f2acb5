"""Connections to a database whose network is cut: no end waits longer than it has to."""

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
"""A lease's length: whoever cannot prolong it should know by then."""
RELEASED_SECONDS = 10.0


@pytest.fixture(scope="module")
def server() -> Iterator[DistantPostgreSQL]:
    with DistantPostgreSQL() as server:
        yield server


def ask(session: Session) -> None:
    session.execute(text("SELECT 1"))


def test_who_waits_for_an_answer_is_told_that_there_is_none(server: DistantPostgreSQL) -> None:
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


def test_what_a_lost_client_had_locked_comes_free(
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
                "the server waits for its client"
            )
            time.sleep(0.1)
        say(f"free {time.monotonic() - begin:.1f} s after the network was back")
