"""Jobs and their watchers when the server ends and starts again."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import update

from c4core.lines import Request
from c4core.position import Position
from db.database import Database
from db.models import Unit
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.running.job_events import data_of, first_of, watching
from tests.support.running.waiting import await_that
from tests.support.running.watching import held_back
from tests.support.running.web_server import WebServer
from web.running import web_label
from workers.analyze.job import submit

EASY = random_games(40, empty=8)
ENDLESS = {"kind": "analyze", "board": "9x6", "positions": [""]}
"""A position that cannot be solved during a test."""
WATCHERS = 50


@pytest.fixture
def server() -> Iterator[WebServer]:
    """A server that has not been started yet."""
    server = WebServer("--no-book", "--table-mb=1", "--rate=0")
    try:
        yield server
    finally:
        server.close()


def url(server: WebServer) -> str:
    return f"sqlite:///{server.directory / 'c4.db'}"


def make(server: WebServer) -> int:
    """Make a job as the server does, before the server starts."""
    lines = [Request(number, Position(moves), moves) for number, moves in enumerate(EASY, start=1)]
    board = Position().board
    with Database.open(url(server)) as database:
        return submit(
            database, lines, board=board, label=web_label(None), book="", unit_lines=10
        ).job_id


def progress(server: WebServer, number: int) -> dict[str, Any]:
    shown: dict[str, Any] = server.ask(f"/api/v1/jobs/{number}").json["progress"]
    return shown


def let_leases_end(server: WebServer) -> None:
    """Let all leases expire, as they do some seconds after a crash."""
    with Database.open(url(server)) as database, database.write() as session:
        session.execute(update(Unit).where(Unit.state == UnitState.LEASED).values(lease_until=0))


def test_jobs_continue_when_the_server_restarts(server: WebServer) -> None:
    number = make(server)
    with held_back(url(server), number, free=1), ExitStack() as at_end:
        server.start()
        with watching(server, number) as stream:
            assert first_of(stream)["job_id"] == number
            await_that(lambda: progress(server, number)["units_done"] == 1)
            server.stop()
            assert (
                b"event: end" not in stream.read()
            )  # the stream was cut off, so a browser connects again
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
    await_that(lambda: progress(server, endless)["units_leased"] == 1)
    server.kill()
    let_leases_end(server)
    server.start()
    await_that(lambda: progress(server, endless)["units_leased"] == 1)
    cancelled = server.post(f"/api/v1/jobs/{endless}/cancel", {}).json
    assert (cancelled["state"], cancelled["progress"]["units_failed"]) == ("cancelled", 0)
