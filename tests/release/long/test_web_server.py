"""A real server that starts again, and clients that send very much or very little."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from typing import Any

import pytest
from sqlalchemy import update

from db.database import Database
from db.models import Unit
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.running.job_events import data_of, first_of, watching
from tests.support.running.raw_http import connected
from tests.support.running.waiting import await_that, needs_proc
from tests.support.running.watching import held_back
from tests.support.running.web_server import WebServer
from tests.support.web_api import analyze
from web.running import ORIGIN

MEMORY_MB = 40
"""Limit for the additional memory of any batch: its solver's table, and a few thousand lines."""
MIB = 1 << 20
EASY = random_games(40, empty=8)
ENDLESS = {"kind": "analyze", "board": "9x6", "positions": [""]}
"""A position that cannot be solved during a test."""
WATCHERS = 50


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer("--no-book", "--table-mb=1", "--rate=0") as running:
        yield running
        assert "Traceback" not in running.said


@needs_proc
def test_a_batch_whose_answers_are_not_read(server: WebServer) -> None:
    """The server stops reading; its memory does not grow."""
    before = server.resident_mb
    with connected(server) as client:
        client.sendall(
            b"POST /api/v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-ndjson\r\n\r\n"
        )
        piece = b"4453\n" * 10_000
        sent = 0
        # A server that is only slow ends the test early, and does not fail it.
        client.settimeout(10)
        with suppress(OSError):  # the server accepts no more
            while sent < 400 * MIB:
                client.sendall(b"%x\r\n" % len(piece) + piece + b"\r\n")
                sent += len(piece)
        assert sent < 400 * MIB
    assert server.resident_mb < before + MEMORY_MB


@pytest.fixture
def unstarted() -> Iterator[WebServer]:
    with closing(WebServer("--no-book", "--table-mb=1", "--rate=0")) as server:
        yield server


def test_jobs_continue_when_the_server_restarts(unstarted: WebServer) -> None:
    server = unstarted
    url = f"sqlite:///{server.directory / 'c4.db'}"
    with Database.open(url) as database:  # as the server does, before it starts
        number = analyze(database, EASY, topic=ORIGIN, unit_lines=10)

    def progress(job: int) -> dict[str, Any]:
        shown: dict[str, Any] = server.ask(f"/api/v1/jobs/{job}").json["progress"]
        return shown

    with held_back(url, number, free=1), ExitStack() as at_end:
        server.start()
        with watching(server, number) as stream:
            assert first_of(stream)["job_id"] == number
            await_that(lambda: progress(number)["units_done"] == 1)
            server.stop()
            # The stream was cut off, so a browser connects again.
            assert b"event: end" not in stream.read()
        server.start()
        streams = [at_end.enter_context(watching(server, number)) for _ in range(WATCHERS)]
        assert [first_of(stream)["units_done"] for stream in streams] == [1] * WATCHERS
        watched = at_end.pop_all()
    with watched:
        ends = [stream.read().split(b"event: end\n")[1].splitlines() for stream in streams]
    assert len(set(map(tuple, ends))) == 1  # all watchers receive the same
    (last,) = data_of(ends[0])
    assert (last["state"], last["units_failed"], last["positions_done"]) == ("done", 0, len(EASY))

    endless = server.post("/api/v1/jobs", ENDLESS).json["id"]
    await_that(lambda: progress(endless)["units_leased"] == 1)
    server.kill()
    with Database.open(url) as database, database.write() as session:
        # All leases expire, as they do some seconds after a crash.
        session.execute(update(Unit).where(Unit.state == UnitState.LEASED).values(lease_until=0))
    server.start()
    await_that(lambda: progress(endless)["units_leased"] == 1)
    cancelled = server.post(f"/api/v1/jobs/{endless}/cancel", {}).json
    assert (cancelled["state"], cancelled["progress"]["units_failed"]) == ("cancelled", 0)
