"""Jobs over HTTP: creating, listing, watching, stopping and resuming them, and their results."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from c4core.lines import Request
from c4core.position import Position
from c4core.solver import Solver
from db import jobs
from db.database import Database
from db.records.jobs import JobState
from tests.support.boards.games import random_games
from tests.support.jobs import finish, give_up, must_take, state_of
from tests.support.running.command_line import C4
from tests.support.web_api import Api, serving
from web.settings import Limits
from workers.analyze.job import submit

EASY = random_games(30, empty=8)
TOKEN = "s3cret"


@pytest.fixture
def api(sqlite_path: Path) -> Iterator[Api]:
    """A server with its own database."""
    with serving(database_url=str(sqlite_path), book="") as found:
        yield found


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a server on which no job is created."""
    url = str(tmp_path_factory.mktemp("empty") / "c4.db")
    with serving(database_url=url, book="") as api:
        yield api.client
        assert api.get("/api/v1/jobs") == {"jobs": [], "next": None}


@pytest.fixture
def idle(sqlite_path: Path) -> Iterator[Database]:
    """The server's database, with another user's job that no process works on."""
    with Database.open(str(sqlite_path)) as opened:
        yield opened


def make(database: Database, games: list[str], **options: Any) -> int:  # noqa: ANN401 (submit's)
    lines = [Request(number, Position(moves), moves) for number, moves in enumerate(games, start=1)]
    return submit(database, lines, board=Position().board, book="", **options).job_id


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
    positions: list[object] = [*EASY, {"id": "a", "moves": EASY[0]}, "9", 4, {"moves": ""}]
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
    answer = client.post(
        "/api/v1/jobs?score_only=true&label=file",
        content=body.encode(),
        headers={"Content-Type": media_type},
    )
    made = answer.json()
    assert (answer.status_code, made["label"]) == (201, "web: file")
    assert made["params"]["score_only"]
    assert made["progress"]["positions"] == len(EASY)
    assert events(client, made["id"])[-1][1]["state"] == "done"


def test_bad_lines_of_a_file_are_named(client: TestClient) -> None:
    text = {"Content-Type": "text/plain"}
    body = f"{EASY[0]}\n" + "9\n" * 7
    made = client.post("/api/v1/jobs", content=body.encode(), headers=text).json()
    assert made["bad_lines"]["number"] == 7
    assert [bad["line"] for bad in made["bad_lines"]["first"]] == [2, 3, 4, 5, 6]
    assert {bad["field"] for bad in made["bad_lines"]["first"]} == {"moves"}
    good = client.post("/api/v1/jobs", content=EASY[0].encode(), headers=text).json()
    assert "bad_lines" not in good


def test_a_deep_job_shows_its_tree_and_is_found_again(client: TestClient) -> None:
    wish = {"kind": "deep", "board": "4x4", "moves": "112233"}
    made = post(client, wish)
    _, last = events(client, made["id"])[-1]
    assert last["tree"]["asked"] is None
    score = Solver(table_mb=1).solve(Position("112233", width=4, height=4)).score
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


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({}, "kind"),
        ({"kind": "match"}, "kind"),
        ({"kind": "analyze"}, "moves"),
        ({"kind": "analyze", "positions": []}, "positions"),
        ({"kind": "analyze", "positions": "44"}, "positions"),
        ({"kind": "analyze", "positions": ["44"], "moves": "4"}, "moves"),
        ({"kind": "analyze", "moves": "8"}, "moves"),
        ({"kind": "analyze", "moves": "4", "plies": 3}, "plies"),
        ({"kind": "analyze", "moves": "4", "label": "a\nb"}, "label"),
        ({"kind": "analyze", "moves": "4", "label": "x" * 201}, "label"),
        ({"kind": "analyze", "moves": "4", "score_only": "?"}, "score_only"),
        ({"kind": "deep"}, "moves"),
        ({"kind": "deep", "moves": "1213141"}, "moves"),
        ({"kind": "deep", "moves": "4", "board": "70x60"}, "board"),
        ({"kind": "book"}, "plies"),
        ({"kind": "book", "plies": 42}, "plies"),
        ({"kind": "book", "plies": 20}, "plies"),
        ({"kind": "book", "plies": 3, "start": "4444"}, "plies"),
        ({"kind": "book", "plies": 8, "start": "1213141"}, "start"),
    ],
)
def test_bad_requests_name_the_field_and_create_nothing(
    empty: TestClient, wish: dict[str, object], field: str
) -> None:
    answer = empty.post("/api/v1/jobs", json=wish)
    assert (answer.status_code, answer.json()["field"]) == (400, field), answer.text


def test_bad_bodies_are_refused(empty: TestClient) -> None:
    for media_type, body, status in (
        ("image/png", b"\x89PNG", 415),
        ("application/json", b"[]", 400),
        ("application/json", b"{", 400),
        ("text/plain", b"", 400),
        ("text/csv", b"who,what\n1,2\n", 400),
        ("application/json", b'{"kind": "' + b"x" * (1 << 20) + b'"}', 413),
    ):
        headers = {"Content-Type": media_type}
        answer = empty.post("/api/v1/jobs", content=body, headers=headers)
        assert answer.status_code == status, (media_type, body[:20], answer.text)
        assert answer.json()["error"]


def test_the_list_has_pages(client: TestClient, idle: Database) -> None:
    numbers = [make(idle, EASY[:1]) for _ in range(5)]
    found: list[int] = []
    cursor: str | None = ""
    for _ in range(3):
        page = client.get(f"/api/v1/jobs?limit=2{cursor and f'&cursor={cursor}'}").json()
        found += [job["id"] for job in page["jobs"]]
        cursor = page["next"]
    assert (found, cursor) == (numbers[::-1], None)
    assert client.get("/api/v1/jobs?state=done").json() == {"jobs": [], "next": None}
    waiting = client.get("/api/v1/jobs?state=waiting&limit=3").json()
    assert [job["id"] for job in waiting["jobs"]] == numbers[:1:-1]
    assert waiting["next"] == str(numbers[2])


def test_a_job_is_stopped_and_resumed(client: TestClient, idle: Database) -> None:
    number = make(idle, EASY)
    for _ in range(2):  # the second call changes nothing
        stopped = client.post(f"/api/v1/jobs/{number}/cancel")
        assert (stopped.status_code, stopped.json()["state"]) == (200, "cancelled")
    assert [name for name, _ in events(client, number)] == ["progress", "end"]
    assert client.post(f"/api/v1/jobs/{number}/resume").status_code == 200
    assert events(client, number)[-1][1]["state"] == "done"
    over = client.post(f"/api/v1/jobs/{number}/cancel")
    assert (over.status_code, over.json()["field"]) == (409, None)
    assert client.post(f"/api/v1/jobs/{number}/resume").json()["state"] == "done"


def test_failed_units_are_tried_again(client: TestClient, idle: Database) -> None:
    number = make(idle, EASY)
    while state_of(idle, number) is JobState.RUNNING:
        give_up(idle, must_take(idle, job_id=number), "cannot read '/home/someone/a.c4book'")
    shown = client.get(f"/api/v1/jobs/{number}").json()
    assert (shown["state"], shown["errors"]) == ("failed", ["cannot read 'a.c4book'"])
    lines = client.get(f"/api/v1/jobs/{number}/results").text.splitlines()
    assert {json.loads(line)["error"] for line in lines} == {"not solved: cannot read 'a.c4book'"}
    client.post(f"/api/v1/jobs/{number}/resume")
    assert events(client, number)[-1][1]["state"] == "done"


def test_results_of_an_unfinished_job_have_errors_for_the_rest(
    client: TestClient, idle: Database
) -> None:
    number = make(idle, EASY, unit_lines=20)
    results = client.get(f"/api/v1/jobs/{number}/results")
    assert [json.loads(line)["error"] for line in results.text.splitlines()] == [
        "not solved: queued"
    ] * len(EASY)


def test_a_job_in_planning_has_no_results(client: TestClient, idle: Database) -> None:
    with idle.write() as session:
        number = jobs.create_job(
            session, kind="analyze", board=Position().board, params={}, engine_version=1
        )
    refused = client.get(f"/api/v1/jobs/{number}/results")
    assert refused.status_code == 409
    assert client.post(f"/api/v1/jobs/{number}/resume").status_code == 409


@pytest.mark.parametrize("path", ["", "/events", "/results"])
def test_missing_jobs_are_reported(empty: TestClient, path: str) -> None:
    for number, status in (("7", 404), (str(2**63 - 1), 404), (str(10**30), 400), ("x", 400)):
        answer = empty.get(f"/api/v1/jobs/{number}{path}")
        assert answer.status_code == status
        assert set(answer.json()) == {"error", "field"}
    for action in ("cancel", "resume"):
        assert empty.post(f"/api/v1/jobs/7/{action}").status_code == 404


def test_heads_have_no_body(client: TestClient, idle: Database) -> None:
    number = make(idle, EASY)
    for path in ("", "/events", "/results"):
        answer = client.head(f"/api/v1/jobs/{number}{path}")
        assert (answer.status_code, answer.content) == (200, b"")


def test_ended_watches_are_forgotten(client: TestClient, idle: Database) -> None:
    number = make(idle, EASY)
    app: Any = client.app
    client.post(f"/api/v1/jobs/{number}/cancel")
    assert events(client, number)[-1][0] == "end"
    assert app.state.job_watches._watches == {}


def test_active_workers_are_listed(client: TestClient, idle: Database) -> None:
    make(idle, EASY)
    taken = must_take(idle)
    shown = client.get("/api/v1/workers").json()
    assert shown["workers"] == []
    assert shown["server"] == {"threads": 1, "jobs": [], "is_writable": True}
    assert shown["status"]["jobs"]["running"] == 1
    assert shown["status"]["running_units"] == 1
    assert "database" not in shown["status"]
    finish(idle, taken)
    assert client.get("/api/v1/workers").json()["status"]["jobs"]["done"] == 1


def test_changes_need_the_token(sqlite_path: Path, idle: Database) -> None:
    number = make(idle, EASY)
    wish = {"kind": "analyze", "moves": EASY[0]}
    with serving(database_url=str(sqlite_path), token=TOKEN) as api:
        guarded = api.client
        for path, body in (("", wish), (f"/{number}/cancel", None), (f"/{number}/resume", None)):
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
                answer = guarded.post(f"/api/v1/jobs{path}", json=body, headers=headers)
                assert answer.status_code == 401
                assert answer.headers["www-authenticate"].startswith("Bearer")
        assert state_of(idle, number) is JobState.RUNNING
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert guarded.post(f"/api/v1/jobs/{number}/cancel", headers=headers).status_code == 200
        assert guarded.get("/api/v1/jobs").status_code == 200


def test_without_a_database_there_are_no_jobs(bare: Api) -> None:
    for path in ("jobs", "jobs/1", "jobs/1/events", "jobs/1/results", "workers"):
        assert bare.client.get(f"/api/v1/{path}").status_code == 503
    made = bare.client.post("/api/v1/jobs", json={"kind": "analyze", "moves": "4"})
    assert made.status_code == 503


def test_a_read_only_server_creates_no_jobs(sqlite_path: Path) -> None:
    with serving(database_url=str(sqlite_path), read_only=True) as api:
        made = api.client.post("/api/v1/jobs", json={"kind": "analyze", "moves": "4"})
        assert made.status_code == 403
        assert api.client.get("/api/v1/jobs").json()["jobs"] == []
