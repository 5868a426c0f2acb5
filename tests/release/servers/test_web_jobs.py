"""A server with a broker: it makes jobs, separate workers do them, and it shows their progress."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from c4core.position import Position
from c4core.solver import Solver
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.running.job_events import data_of, watching
from tests.support.running.service import Process, Service
from tests.support.running.waiting import await_that
from tests.support.running.web_server import WebServer

GAMES = random_games(200, empty=14)
HARDER = random_games(150, empty=30)
"""Several seconds of work."""
ENDLESS = {"kind": "analyze", "board": "9x6", "positions": [""]}
"""A position that cannot be solved during a test."""


@contextmanager
def face_of(service: Service) -> Iterator[WebServer]:
    """A web server with the database and the broker of a service."""
    settings = [f"--db={service.database_url}", f"--broker={service.broker_url}"]
    options = ("--no-book", "--table-mb=1", "--rate=0")
    with WebServer(*options, settings=settings) as server:
        yield server
        assert "Traceback" not in server.said


def make(server: WebServer, wish: dict[str, Any]) -> int:
    made = server.post("/api/v1/jobs", wish)
    assert made.status == 201, made.body
    number: int = made.json["id"]
    return number


def show(server: WebServer, number: int) -> dict[str, Any]:
    shown: dict[str, Any] = server.ask(f"/api/v1/jobs/{number}").json
    return shown


def results(server: WebServer, number: int) -> list[dict[str, Any]]:
    """The lines of a job's results."""
    return [
        json.loads(line) for line in server.ask(f"/api/v1/jobs/{number}/results").body.splitlines()
    ]


def check_results(server: WebServer, number: int, games: list[str]) -> None:
    """A line for each game, in order, some of them solved again here."""
    lines = results(server, number)
    assert [line["moves"] for line in lines] == games
    solver = Solver(table_mb=1)
    for line in lines[::20]:
        known = solver.analyze(Position(line["moves"]))
        assert (line["score"], line["scores"]) == (known.score, list(known.scores))


def is_stopped_at_work(worker: Process, service: Service, number: int) -> bool:
    """Suspend a worker, unless it holds no unit of the job at that moment."""
    worker.process.send_signal(signal.SIGSTOP)
    if service.job(number).units[UnitState.LEASED]:
        return True
    worker.process.send_signal(signal.SIGCONT)
    return False


@pytest.mark.servers
def test_a_worker_runs_the_jobs_of_the_server(service: Service) -> None:
    with face_of(service) as server:
        number = make(server, {"kind": "analyze", "positions": GAMES})
        assert show(server, number)["state"] == "waiting"  # the server itself solves nothing
        with watching(server, number) as stream, service.worker("--threads=1"):
            events = stream.read().splitlines()
        seen = [data["positions_done"] for data in data_of(events)]
        assert seen[0] == 0
        assert seen == sorted(seen)
        assert seen[-1] == len(GAMES)
        assert b"event: end" in events
        assert show(server, number)["state"] == "done"
        check_results(server, number, GAMES)


@pytest.mark.servers
def test_a_cancelled_job_ends_for_its_worker_and_watchers(one_service: Service) -> None:
    with face_of(one_service) as server, one_service.worker("--threads=1") as worker:
        number = make(server, ENDLESS)
        await_that(lambda: show(server, number)["progress"]["units_leased"] == 1, worker)
        named = server.ask("/api/v1/workers").json["workers"]
        assert [one["name"] for one in named] == ["ada"]
        with watching(server, number) as stream:
            assert server.post(f"/api/v1/jobs/{number}/cancel", {}).json["state"] == "cancelled"
            events = stream.read().splitlines()
        assert b"event: end" in events
        assert list(data_of(events))[-1]["state"] == "cancelled"
        # The worker's only thread is free for the next job.
        await_that(lambda: f"of job {number}) lost" in worker.log, worker)
        other = make(server, {"kind": "analyze", "positions": GAMES[:20]})
        await_that(lambda: show(server, other)["state"] == "done", worker)
        assert server.post(f"/api/v1/jobs/{number}/resume", {}).status == 200
        await_that(lambda: show(server, number)["progress"]["units_leased"] == 1, worker)


@pytest.mark.servers
def test_a_job_survives_a_killed_worker(one_service: Service) -> None:
    with face_of(one_service) as server:
        number = make(server, {"kind": "analyze", "positions": HARDER})
        with one_service.worker("--threads=1") as victim, watching(server, number) as stream:
            await_that(lambda: is_stopped_at_work(victim, one_service, number), victim)
            victim.process.kill()
            victim.process.wait()
            with one_service.worker("--threads=2", name="bob"):
                events = stream.read().splitlines()
        assert b"event: end" in events
        last = list(data_of(events))[-1]
        assert (last["state"], last["positions_done"]) == ("done", len(HARDER))
        assert last["units_failed"] == 0
        check_results(server, number, HARDER)
