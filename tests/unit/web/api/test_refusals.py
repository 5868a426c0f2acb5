"""Requests that every endpoint refuses: wrong parameters, no database, no permission."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

import pytest

from c4core.position import Position
from db.database import Database
from tests.support.web_api import Api, analyze, check_declared, serving
from workers.answers.find import look_up

WRONG_QUERIES: Final = {
    "position": """
        moves=8 moves=4&key=1 key=1 board=7x6&grid=...%0Axo. board=1x99 moves=4&budget=31
        moves=4&line=maybe moves=4&moves=5 moves=4&colour=red""",
    "book": "moves=8 moves=1&key=7 board=1000x1 key=1.5 grid=x.%0A.o plies=3",
    "evaluations": f"""
        limit=0 min_ply=-1 value=won exact=maybe cursor=1 cursor=1:{2**128} cursor=99999:1
        cursor=1:1%00 board=x sort=ply""",
    "game": f"""
        moves=8 moves=44&board=99x99 match=1&number=1&moves=44 match=1&number=1&board=7x6
        number=0&match={10**30} moves=44&budget=31 moves=44&player=perfect moves=12121213""",
    "games": """
        limit=501 match=-1 ending=four%00 cursor=1 cursor=1:9999999999 cursor=-1:1 board=64x1000
        player=set""",
    "matches": "cursor=x limit=0",
    "matches/1": "judge=many",
    "puzzles": "count=0 count=21 seed=-1 board=99x99 budget=31 match=1&board=7x6",
}
"""Queries by path; the last parameter of each is wrong."""

WRONG_BODIES: Final = {
    "jobs": [
        {"kind": "match"},
        {"kind": "analyze", "positions": []},
        {"kind": "analyze", "positions": "44"},
        {"kind": "analyze", "positions": ["44"], "moves": "4"},
        {"kind": "analyze", "moves": "8"},
        {"kind": "analyze", "moves": "4", "plies": 3},
        {"kind": "analyze", "moves": "4", "label": "a\nb"},
        {"kind": "analyze", "moves": "4", "label": "x" * 201},
        {"kind": "analyze", "moves": "4", "score_only": "?"},
        {"kind": "deep", "moves": "1213141"},
        {"kind": "deep", "moves": "4", "board": "70x60"},
        {"kind": "book", "plies": 42},
        {"kind": "book", "plies": 20},
    ],
    "game": [
        {"moves": 44},
        {"moves": "1212121", "winner": "o"},
        {"moves": "1212121", "winner": ["x"] * 10_000},
        {"moves": "44", "start": "x"},
        {"moves": "1212121", "seed": True},
    ],
    "games": [
        {"moves": "12129"},
        {"moves": "1212121", "winner": "o"},
        {"moves": "12", "ending": "unfinished"},
        {"moves": "12", "ending": "resigned"},
    ],
    "move": [
        {"moves": "1212121"},
        {"moves": "44", "player": 4},
        {"moves": "44", "seconds": 0},
        {"moves": "44", "seconds": 31},
        {"moves": "44", "seed": -1},
        {"moves": "44", "budget": 1},
    ],
}
"""Bodies by path; the last field of each is wrong."""

NEEDS_DATABASE: Final = (
    *("evaluations", "game?match=1&number=1", "games", "games/1/0", "matches", "matches/1"),
    *("puzzles?match=1", "jobs", "jobs/1", "jobs/1/events", "jobs/1/results", "workers"),
)
QUEUED: Final = "/api/v1/position?board=9x6&budget=0&queue=true"
JOB: Final = {"kind": "analyze", "moves": "44"}
LATE: Final = "532336513633217277452711665127"
GAME: Final = {"moves": "1212121", "first": "human", "second": "random"}
WRONG_TOKENS: Final = (None, "Bearer s3cre", "Bearer ", "Basic s3cret", "s3cret", "Bearer wrong")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with serving(database_url=str(tmp_path_factory.mktemp("web") / "c4.db"), book="") as found:
        yield found
        assert found.get("/api/v1/jobs") == {"jobs": [], "next": None}
        assert found.get("/api/v1/games") == {"games": [], "next": None}


@pytest.mark.parametrize("path", WRONG_QUERIES)
def test_wrong_queries_name_the_field(api: Api, path: str) -> None:
    for query in WRONG_QUERIES[path].split():
        assert api.refused(f"/api/v1/{path}?{query}") == (400, parse_qsl(query)[-1][0]), query


@pytest.mark.parametrize("path", WRONG_BODIES)
def test_wrong_bodies_name_the_field(api: Api, path: str) -> None:
    for body in WRONG_BODIES[path]:
        assert api.refused(f"/api/v1/{path}", body) == (400, list(body)[-1]), body


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("jobs", {}, "kind"),
        ("jobs", {"kind": "analyze"}, "moves"),
        ("jobs", {"kind": "deep"}, "moves"),
        ("jobs", {"kind": "book"}, "plies"),
        ("game", {}, "moves"),
        ("game", {"moves": "44"}, "ending"),  # neither side has won yet
        ("games", GAME | {"moves": "12"}, "ending"),
        ("move", {}, "moves"),
        ("game", [], None),
        ("move", [1], None),
    ],
)
def test_missing_fields_are_named(api: Api, path: str, body: object, field: str | None) -> None:
    assert api.refused(f"/api/v1/{path}", body) == (400, field)


def test_bad_bodies_of_jobs_are_refused(api: Api) -> None:
    for media_type, body, status in (
        ("image/png", b"\x89PNG", 415),
        ("application/json", b"[]", 400),
        ("application/json", b"{", 400),
        ("text/plain", b"", 400),
        ("text/csv", b"who,what\n1,2\n", 400),
        ("application/json", b'{"kind": "' + b"x" * (1 << 20) + b'"}', 413),
    ):
        headers = {"Content-Type": media_type}
        answer = api.client.post("/api/v1/jobs", content=body, headers=headers)
        check_declared(answer)
        assert answer.status_code == status, (media_type, body[:20], answer.text)
        assert answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("game", (400, "moves")),
        ("game?match=1", (400, "number")),
        ("game?number=1", (400, "match")),
        ("game?match=9&number=0", (404, None)),
        (f"games/{10**30}/0", (400, "match")),
        ("games/1/-1", (400, "number")),
        ("games/1/x", (400, "number")),
        ("games/9/0", (404, None)),
        ("games?match=9", (404, None)),
        ("matches/9", (404, None)),
        (f"matches/{1 << 40}", (400, "id")),
        ("puzzles?match=99", (404, None)),
    ],
)
def test_missing_numbers_are_reported(api: Api, path: str, refusal: tuple[int, str | None]) -> None:
    assert api.refused(f"/api/v1/{path}") == refusal


@pytest.mark.parametrize("path", ["", "/events", "/results"])
def test_missing_jobs_are_reported(api: Api, path: str) -> None:
    for number, status in (("7", 404), (str(2**63 - 1), 404), (str(10**30), 400), ("x", 400)):
        assert api.refused(f"/api/v1/jobs/{number}{path}")[0] == status
    for action in ("cancel", "resume"):
        assert api.refused(f"/api/v1/jobs/7/{action}", {}) == (404, None)


def test_without_a_database_the_answer_is_503() -> None:
    with serving() as api:
        for path in NEEDS_DATABASE:
            assert api.refused(f"/api/v1/{path}") == (503, None), path
        assert api.refused("/api/v1/jobs", JOB) == (503, None)
        assert api.get("/api/v1/game", moves="1212121", budget=0)["winner"] == "x"


def changes(job: int) -> list[tuple[str, str, dict[str, str] | None]]:
    """The requests that change something, each with its method and body."""
    acts = [("POST", f"/api/v1/jobs/{job}/{act}", None) for act in ("cancel", "resume")]
    return [
        ("GET", QUEUED, None),
        ("POST", "/api/v1/games", GAME),
        ("POST", "/api/v1/jobs", JOB),
        *acts,
    ]


def test_changes_need_the_token(sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database:
        job = analyze(database, ["1212"])
    with serving(database_url=str(sqlite_path), token="s3cret") as api:  # noqa: S106
        for method, path, body in changes(job):
            for token in WRONG_TOKENS:
                headers = {} if token is None else {"authorization": token}
                answer = api.client.request(method, path, json=body, headers=headers)
                check_declared(answer)
                assert answer.status_code == 401, path
                assert answer.headers["www-authenticate"].startswith("Bearer")
        (untouched,) = api.get("/api/v1/jobs")["jobs"]
        assert (untouched["state"], api.get("/api/v1/games")["games"]) == ("running", [])
        for method, path, body in changes(job):
            right = {"authorization": "Bearer s3cret"}
            answer = api.client.request(method, path, json=body, headers=right)
            assert answer.status_code in {200, 201}, path
            assert path != QUEUED or answer.json()["queued"] is not None


def test_a_read_only_server_changes_nothing(sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database:
        job = analyze(database, ["1212"])
    with serving(database_url=str(sqlite_path), read_only=True) as api:
        assert api.get("/api/v1/position", moves=LATE, budget=30)["complete"]
        for method, path, body in changes(job):
            assert api.client.request(method, path, json=body).status_code == 403, path
        (untouched,) = api.get("/api/v1/jobs")["jobs"]
        assert (untouched["state"], api.get("/api/v1/games")["games"]) == ("running", [])
    with Database.open(str(sqlite_path)) as database:
        assert look_up(database, [Position(LATE)]) == {}


def test_questions_of_other_sites_are_not_queued(api: Api) -> None:
    """A page of another site may send a GET, for example as an image."""
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert api.client.get(QUEUED, headers=headers).status_code == 403
