"""Many positions in one request, within this process."""

import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.testclient import TestClient

from c4core.lines import MAX_LINE
from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import random_games
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.web_api import Api, serving
from web.bodies import MOST_WAITING
from web.service import BATCH_THREADS
from web.settings import Limits

EASY = random_games(60, empty=8)


@pytest.fixture(scope="module")
def bare() -> Iterator[Api]:
    with serving(book="") as found:
        yield found


def ask(client: TestClient, body: bytes, query: str = "") -> list[dict[str, Any]]:
    answer = client.post(f"/api/v1/batch{query}", content=body)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_every_line_is_answered_in_its_place(client: TestClient) -> None:
    lines = [json.dumps({"id": number, "moves": moves}) for number, moves in enumerate(EASY)]
    lines[17] = "9"
    lines[40] = ""
    found = ask(client, "\n".join(lines).encode())
    assert len(found) == len(EASY)
    assert (found[17]["line"], found[17]["field"]) == (18, "moves")
    assert (found[40]["line"], found[40]["field"]) == (41, "line")
    solver = Solver(table_mb=1)
    for number, (moves, shown) in enumerate(zip(EASY, found, strict=True)):
        if "error" not in shown:
            known = solver.analyze(Position(moves))
            assert (shown["id"], shown["moves"]) == (number, moves)
            assert (shown["score"], shown["scores"]) == (known.score, list(known.scores))
            assert shown["best"] == [column + 1 for column in known.best]


def test_an_overlong_line_gives_an_error_and_the_next_an_answer(client: TestClient) -> None:
    first, second = ask(client, b"4" * (MAX_LINE + 5) + b"\n" + EASY[0].encode())
    assert first["error"] == f"line is longer than {MAX_LINE} bytes"
    assert second["moves"] == EASY[0]
    assert ask(client, b"") == []


def test_parameters_hold_for_all_lines(client: TestClient) -> None:
    (late,) = ask(client, b'{"moves": ""}', "?budget=0&columns=false")
    assert late["score"] is None
    assert late["lower"] < late["upper"]
    (weak,) = ask(client, EASY[0].encode(), "?weak=true")
    assert "scores" not in weak
    assert weak["value"] in {"win", "draw", "loss"}
    (other,) = ask(client, b"1212121", "?board=4x4&budget=30")
    assert (other["board"], other["side"]) == ("4x4", "o")


def test_bad_requests_name_the_field(client: TestClient) -> None:
    """The last parameter of each query is wrong."""
    queries = "board=1x1x1 budget=31 budget=nan columns=perhaps weak=true&columns=true colums=true"
    for query in queries.split():
        answer = client.post(f"/api/v1/batch?{query}", content=b"44")
        assert (answer.status_code, answer.json()["field"]) == (400, parse_qsl(query)[-1][0])
    compressed = client.post("/api/v1/batch", content=b"44", headers={"Content-Encoding": "gzip"})
    assert compressed.status_code == 415


def test_a_batch_holds_memory_until_it_ends() -> None:
    with serving(book="", limits=Limits(memory_bytes=MOST_WAITING)) as api:
        one, memory = EASY[0].encode(), api.service.memory
        assert api.client.post("/api/v1/batch", content=one).status_code == 200
        with memory.held("another client", 1):
            answer = api.client.post("/api/v1/batch", content=one)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "bytes of memory" in answer.json()["error"]
        assert api.client.post("/api/v1/batch", content=one).status_code == 200
        assert not memory._taken


def test_a_client_that_disconnects_frees_its_search_thread() -> None:
    with serving(book="", limits=Limits(budget_seconds=86_400)) as api:
        threads = api.service._batches
        with api.searching("/api/v1/batch?board=9x6&budget=86400", b'{"moves": ""}\n'):
            await_that(lambda: threads._threads)
        meeting = threading.Barrier(BATCH_THREADS)
        waiting = [threads.submit(meeting.wait, HANG_SECONDS) for _ in range(BATCH_THREADS)]
        for each in waiting:
            each.result()
