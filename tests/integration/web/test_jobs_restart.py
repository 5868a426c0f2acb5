"""Jobs and those who watch them, when the server ends and starts again."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.support.running.job_events import first_of, watching
from tests.support.running.waiting import AT_ONCE_SECONDS, await_that
from tests.support.running.web_server import WebServer

WISH = {"kind": "book", "board": "5x4", "plies": 7}


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer("--no-book", "--table-mb=1", "--rate=0") as started:
        yield started


def make(server: WebServer) -> int:
    made = server.post("/api/v1/jobs", WISH)
    assert made.status == 201
    number: int = made.json["id"]
    return number


def show(server: WebServer, number: int) -> dict[str, Any]:
    shown: dict[str, Any] = server.ask(f"/api/v1/jobs/{number}").json
    return shown


def test_a_job_goes_on_when_the_server_starts_again(server: WebServer) -> None:
    number = make(server)
    with watching(server, number) as stream:
        assert first_of(stream)["job_id"] == number
        await_that(lambda: show(server, number)["progress"]["units_done"] > 0)
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < AT_ONCE_SECONDS
        assert b"event: end" not in stream.read()  # it was broken off: a browser asks again
    server.start()
    with watching(server, number) as stream:
        assert first_of(stream)["units_done"] > 0
        assert b"event: end" in stream.read()
    done = show(server, number)
    assert (done["state"], done["progress"]["units_failed"]) == ("done", 0)


def test_a_job_goes_on_after_the_server_was_killed(server: WebServer) -> None:
    number = make(server)
    await_that(lambda: show(server, number)["progress"]["units_done"] > 0)
    server.kill()
    server.start()
    await_that(lambda: show(server, number)["state"] == "done")
    assert show(server, number)["progress"]["units_failed"] == 0


def test_many_may_watch_one_job(server: WebServer) -> None:
    number = make(server)
    with ExitStack() as at_end:
        streams = [at_end.enter_context(watching(server, number)) for _ in range(50)]
        ends = [stream.read().split(b"event: end\n")[1] for stream in streams]
    assert len(set(ends)) == 1
    assert json.loads(ends[0].removeprefix(b"data: "))["state"] == "done"
