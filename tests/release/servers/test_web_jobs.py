"""A server with a broker: it makes jobs, separate workers do them, and it shows their progress."""

import http.client
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from typing import Any

import pytest

from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import random_games
from tests.support.running.service import Service
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.web_server import WebServer

pytestmark = pytest.mark.servers

GAMES = random_games(200, empty=14)
WISH = {"kind": "analyze", "positions": GAMES}
ENDLESS = {"kind": "analyze", "board": "9x6", "positions": [""]}
"""A position that cannot be solved during a test."""

_DATA = b"data: "


@contextmanager
def watching(server: WebServer, number: int) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANG_SECONDS)
    with closing(connection):
        connection.request("GET", f"/api/v1/jobs/{number}/events")
        yield connection.getresponse()


def data_of(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.startswith(_DATA):
            yield json.loads(line.removeprefix(_DATA))


@contextmanager
def face_of(service: Service) -> Iterator[WebServer]:
    """A web server with the database and the broker of a service."""
    settings = [f"--db={service.database_url}", f"--broker={service.broker_url}"]
    options = ("--no-book", "--table-mb=1", "--rate=0")
    with WebServer(*options, settings=settings) as server:
        yield server
        assert "Traceback" not in server.said


def make(server: WebServer, wish: dict[str, Any]) -> int:
    """Make a job, as soon as the server accepts it; return its number."""
    while (made := server.post("/api/v1/jobs", wish)).status == HTTPStatus.TOO_MANY_REQUESTS:
        time.sleep(0.1)
    assert made.status == HTTPStatus.CREATED, made.body
    number: int = made.json["id"]
    return number


def show(server: WebServer, number: int) -> dict[str, Any]:
    shown: dict[str, Any] = server.ask(f"/api/v1/jobs/{number}").json
    return shown


def check_results(server: WebServer, number: int) -> None:
    """A line for each game, in order, some of them solved again here."""
    body = server.ask(f"/api/v1/jobs/{number}/results").body
    lines = [json.loads(line) for line in body.splitlines()]
    assert [line["moves"] for line in lines] == GAMES
    solver = Solver(table_mb=1)
    for line in lines[::20]:
        known = solver.analyze(Position(line["moves"]))
        assert (line["score"], line["scores"]) == (known.score, list(known.scores))


def test_a_worker_runs_the_jobs_of_the_server(service: Service) -> None:
    with face_of(service) as server:
        number = make(server, WISH)
        shown = show(server, number)["progress"]  # the server itself solves nothing
        assert (shown["state"], shown["silent_seconds"]) == ("running", None)
        with watching(server, number) as stream, service.worker("--threads=1"):
            events = stream.read().splitlines()
        seen = [data["positions_done"] for data in data_of(events)]
        assert seen[0] == 0
        assert seen == sorted(seen)
        assert seen[-1] == len(GAMES)
        assert b"event: end" in events
        assert show(server, number)["state"] == "done"
        check_results(server, number)


def test_a_cancelled_job_ends_for_its_worker_and_watchers(one_service: Service) -> None:
    with face_of(one_service) as server, one_service.worker("--threads=1") as worker:
        number = make(server, ENDLESS)
        await_that(lambda: show(server, number)["progress"]["units_leased"] == 1, worker)
        with watching(server, number) as stream:
            assert server.post(f"/api/v1/jobs/{number}/cancel", {}).json["state"] == "cancelled"
            events = stream.read().splitlines()
        assert b"event: end" in events
        assert list(data_of(events))[-1]["state"] == "cancelled"
        await_that(lambda: f"of job {number}) lost" in worker.log, worker)
        assert server.post(f"/api/v1/jobs/{number}/resume", {}).status == HTTPStatus.OK
        await_that(lambda: show(server, number)["progress"]["units_leased"] == 1, worker)
