"""Jobs over HTTP: creating, listing, watching, stopping and resuming them, and their results."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from db.jobs import control
from db.records.jobs import JobState
from tests.support.boards.games import random_games
from tests.support.jobs import finish, give_up, must_take, of_job, state_of
from tests.support.running.command_line import C4
from tests.support.web_api import Api, analyze, serving
from web.settings import Limits

EASY = random_games(30, empty=8)


@pytest.fixture
def api(sqlite_path: Path) -> Iterator[Api]:
    """A server with its own database."""
    with serving(database_url=str(sqlite_path), book="") as found:
        yield found


@pytest.fixture
def idle(sqlite_path: Path) -> Iterator[Database]:
    """The server's database, with another user's job that no process works on."""
    with Database.open(str(sqlite_path)) as opened:
        yield opened


def test_creating_a_job_does_not_count_as_a_search(sqlite_path: Path) -> None:
    limits = Limits(searches_per_client=1, budget_seconds=86_400)
    with (
        serving(database_url=str(sqlite_path), book="", limits=limits) as api,
        api.searching("/api/v1/position?board=9x6&budget=86400"),
    ):
        post(api.client, {"kind": "analyze", "moves": EASY[0]})
        lines = {"content-type": "application/x-ndjson"}
        sent = api.client.post("/api/v1/jobs", content=EASY[1], headers=lines)
        assert sent.status_code == 201


def events(client: TestClient, number: int) -> list[tuple[str, dict[str, Any]]]:
    """All events of a job, until the stream ends."""
    found = []
    name = ""
    with client.stream("GET", f"/api/v1/jobs/{number}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                found.append((name, json.loads(line.removeprefix("data: "))))
    return found


def post(client: TestClient, value: object) -> Any:  # noqa: ANN401 (JSON)
    answer = client.post("/api/v1/jobs", json=value)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert answer.headers["location"] == f"/api/v1/jobs/{made['id']}"
    return made


def test_positions_become_a_job_that_runs(client: TestClient) -> None:
    named = {"id": "a", "moves": EASY[0]}
    positions: list[object] = [
        *EASY,
        named,
        "9",
        {"key": "x"},
        {"moves": ""},
    ]
    made = post(client, {"kind": "analyze", "positions": positions[:-1], "label": "tonight"})
    assert (made["kind"], made["board"], made["label"]) == ("analyze", "7x6", "web: tonight")
    assert made["progress"]["positions"] == len(EASY) + 1
    seen = events(client, made["id"])
    assert [name for name, _ in seen[-2:]] == ["progress", "end"]
    assert seen[-1][1] == seen[-2][1]
    assert seen[-1][1]["state"] == "done"
    assert seen[-1][1]["positions_done"] == len(EASY) + 1
    results = client.get(f"/api/v1/jobs/{made['id']}/results")
    lines = [json.loads(line) for line in results.text.splitlines()]
    assert [line.get("moves") for line in lines[:-3]] == EASY
    assert lines[-3]["id"] == "a"
    assert [line["line"] for line in lines[-2:]] == [len(EASY) + 2, len(EASY) + 3]


def test_results_agree_with_the_command(client: TestClient, sqlite_path: Path, c4: C4) -> None:
    made = post(client, {"kind": "analyze", "positions": [*EASY, {"moves": "x"}]})
    number = str(made["id"])
    events(client, made["id"])
    for name in ("jsonl", "csv"):
        file = c4.directory / f"results.{name}"
        c4("--db", str(sqlite_path), "jobs", "results", number, "--output", str(file))
        answer = client.get(f"/api/v1/jobs/{number}/results?format={name}")
        assert answer.text == file.read_text()
        assert f"c4-job-{number}.{name}" in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/x-ndjson", "\n".join(json.dumps({"moves": moves}) for moves in EASY)),
        ("text/plain; charset=utf-8", "\n".join(EASY)),
        ("text/csv", "\n".join(["moves", *EASY])),
    ],
)
def test_a_file_becomes_a_job(client: TestClient, media_type: str, body: str) -> None:
    path, headers = "/api/v1/jobs?score_only=true&label=file", {"Content-Type": media_type}
    answer = client.post(path, content=body.encode(), headers=headers)
    made = answer.json()
    assert (answer.status_code, made["label"]) == (201, "web: file")
    assert made["params"]["score_only"]
    assert made["progress"]["positions"] == len(EASY)
    assert "bad_lines" not in made
    assert events(client, made["id"])[-1][1]["state"] == "done"


def test_bad_lines_of_a_file_are_named(client: TestClient) -> None:
    body = f"{EASY[0]}\n" + "9\n" * 7
    headers = {"Content-Type": "text/plain"}
    bad = client.post("/api/v1/jobs", content=body.encode(), headers=headers).json()["bad_lines"]
    assert bad["number"] == 7
    found = [(line["line"], line["field"]) for line in bad["first"]]
    assert found == [(number, "moves") for number in range(2, 7)]


def test_a_deep_job_shows_its_tree_and_is_found_again(client: TestClient) -> None:
    wish = {"kind": "deep", "board": "4x4", "moves": "112233"}
    made = post(client, wish)
    _, last = events(client, made["id"])[-1]
    assert last["tree"]["asked"] is None
    score = Solver(table_mb=1).solve(Position("112233", board="4x4")).score
    assert last["tree"]["lower"] == last["tree"]["upper"] == score
    shown = client.get(f"/api/v1/jobs/{made['id']}").json()
    assert shown["progress"]["tree"] == last["tree"]
    assert client.get(f"/api/v1/jobs/{made['id']}/results?format=csv").status_code == 400


def test_a_book_job_is_created_once(client: TestClient) -> None:
    wish = {"kind": "book", "board": "4x4", "plies": 4}
    made = post(client, wish)
    assert made["label"] == "web: book 4x4 ply 4"
    assert events(client, made["id"])[-1][1]["state"] == "done"
    again = client.post("/api/v1/jobs", json=wish)
    assert (again.status_code, again.json()["id"]) == (200, made["id"])
    assert again.json()["state"] == "done"


def test_the_list_has_pages(api: Api, idle: Database) -> None:
    numbers = [analyze(idle, EASY[:1]) for _ in range(5)]
    assert [job["id"] for job in api.every("/api/v1/jobs", "jobs", 2)] == numbers[::-1]
    assert api.get("/api/v1/jobs", state="done") == {"jobs": [], "next": None}
    running = api.get("/api/v1/jobs", state="running", limit=3)
    assert [job["id"] for job in running["jobs"]] == numbers[:1:-1]
    assert running["next"] == str(numbers[2])


def test_a_job_is_stopped_and_resumed(client: TestClient, idle: Database) -> None:
    number = analyze(idle, EASY)
    for _ in range(2):  # the second call changes nothing
        stopped = client.post(f"/api/v1/jobs/{number}/cancel")
        assert (stopped.status_code, stopped.json()["state"]) == (200, "cancelled")
    assert [name for name, _ in events(client, number)] == ["progress", "end"]
    app: Any = client.app
    assert app.state.job_watches._watches == {}  # the watch has ended
    assert client.post(f"/api/v1/jobs/{number}/resume").status_code == 200
    assert events(client, number)[-1][1]["state"] == "done"
    over = client.post(f"/api/v1/jobs/{number}/cancel")
    assert (over.status_code, over.json()["field"]) == (409, None)
    assert client.post(f"/api/v1/jobs/{number}/resume").json()["state"] == "done"


def test_failed_units_are_tried_again(client: TestClient, idle: Database) -> None:
    number = analyze(idle, EASY)
    while state_of(idle, number) is JobState.RUNNING:
        give_up(idle, must_take(idle, of_job(number)), "cannot read '/home/someone/a.c4book'")
    shown = client.get(f"/api/v1/jobs/{number}").json()
    assert (shown["state"], shown["errors"]) == ("failed", ["cannot read 'a.c4book'"])
    lines = client.get(f"/api/v1/jobs/{number}/results").text.splitlines()
    assert {json.loads(line)["error"] for line in lines} == {"not solved: cannot read 'a.c4book'"}
    client.post(f"/api/v1/jobs/{number}/resume")
    assert events(client, number)[-1][1]["state"] == "done"


def test_results_of_an_unfinished_job_have_errors_for_the_rest(api: Api, idle: Database) -> None:
    number = analyze(idle, EASY, unit_lines=20)
    results = api.client.get(f"/api/v1/jobs/{number}/results").text.splitlines()
    assert [json.loads(line)["error"] for line in results] == ["not solved: queued"] * len(EASY)


def test_a_job_in_planning_has_no_results(api: Api, idle: Database) -> None:
    made = {"kind": "analyze", "board": Position().board, "params": {}, "engine_version": 1}
    number = idle.run(lambda session: control.create_job(session, **made))
    assert api.refused(f"/api/v1/jobs/{number}/results") == (409, None)
    assert api.refused(f"/api/v1/jobs/{number}/resume", {}) == (409, None)


def test_heads_have_no_body(client: TestClient, idle: Database) -> None:
    number = analyze(idle, EASY)
    for path in ("", "/events", "/results"):
        answer = client.head(f"/api/v1/jobs/{number}{path}")
        assert (answer.status_code, answer.content) == (200, b"")


def test_active_workers_are_listed(client: TestClient, idle: Database) -> None:
    analyze(idle, EASY)
    taken = must_take(idle)
    shown = client.get("/api/v1/workers").json()
    assert shown["workers"] == []
    assert shown["server"] == {"threads": 1, "jobs": [], "is_writable": True}
    assert shown["status"]["jobs"]["running"] == 1
    assert shown["status"]["running_units"] == 1
    assert "database" not in shown["status"]
    finish(idle, taken)
    assert client.get("/api/v1/workers").json()["status"]["jobs"]["done"] == 1
