"""Middleware of every request: hosts, origins, rate limits, headers, and error responses."""

import logging
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from c4core.errors import BookError, C4Error
from db.errors import BusyError, JobNotFoundError, ReadOnlyError, StorageError
from tests.support.web_api import serving
from web.access import MONITORING, Clients, allowed_names, host_name, is_host_name, is_loopback
from web.middleware import MOST_CLIENTS, Faults, Rate
from web.responses import ApiError, as_api_error
from web.settings import Limits, ServerSettings
from workers.errors import BrokerUnreachableError

SECRET = "/srv/c4.db"


def test_pages_of_other_sites_may_read(client: TestClient) -> None:
    answer = client.get("/healthz", headers={"origin": "http://other.example"})
    assert answer.headers["access-control-allow-origin"] == "*"
    asked = {"origin": "http://other.example", "access-control-request-method": "POST"}
    allowed = client.options("/api/v1/jobs", headers=asked)
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-methods"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/", "/healthz", "/nowhere"])
def test_every_answer_has_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "cache-control" in headers


def test_unknown_paths_and_methods_are_refused(client: TestClient) -> None:
    missing = {"error": "this path does not exist", "field": None}
    assert client.get("/nowhere").json() == missing
    assert client.get("/solve/", follow_redirects=False).status_code == 404
    wrong = client.post("/solve")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD")
    assert wrong.json()["error"] == "this path answers GET, HEAD only, not POST"


class Clock:
    """A clock that the test advances."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def app_of(answer: Any, *middleware: Any) -> Starlette:  # noqa: ANN401
    """An application whose page is made by a function."""
    return Starlette(routes=[Route("/", answer)], middleware=[Middleware(*middleware)])


async def empty(_request: Request) -> Response:
    return Response()


def test_the_rate_of_a_client_is_limited() -> None:
    clock = Clock()
    app = app_of(empty, Rate, Limits(requests_per_second=2, burst=3), clock)
    client = TestClient(app, client=("192.0.2.1", 1))
    other = TestClient(app, client=("192.0.2.2", 1))
    assert [client.get("/").status_code for _ in range(4)] == [200, 200, 200, 429]
    assert client.get("/").headers["retry-after"] == "1"
    assert other.get("/").status_code == 200
    clock.now += 0.5
    assert [client.get("/").status_code for _ in range(2)] == [200, 429]
    clock.now += 60
    assert [client.get("/").status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        ("::1", "::1"),
        ("nonsense", "nonsense"),
    ],
)
def test_clients_are_distinguished(address: str, client: str) -> None:
    async def answer(request: Request) -> Response:
        assert request.client is not None
        return Response(request.client.host)

    assert TestClient(app_of(answer, Clients), client=(address, 1)).get("/").text == client


def test_idle_clients_are_forgotten() -> None:
    rate = Rate(app_of(empty, Faults), Limits(requests_per_second=1, burst=1), Clock())
    for number in range(MOST_CLIENTS + 10):
        assert rate._take(str(number)) == 0
    assert len(rate._full_at) == MOST_CLIENTS


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (C4Error("x"), 400),
        (JobNotFoundError(3), 404),
        (ReadOnlyError(SECRET), 409),
        (BusyError(SECRET), 503),
        (StorageError(SECRET), 503),
        (BookError(SECRET), 503),
        (BrokerUnreachableError(SECRET), 503),
        (ApiError(418, "x"), 418),
    ],
)
def test_errors_have_a_status(
    error: C4Error, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        answer = as_api_error(error)
    assert answer.status == status
    if str(error) == SECRET:  # clients do not learn the server's paths
        assert SECRET not in answer.message
        assert SECRET in caplog.text
    else:
        assert answer.message == str(error)
    assert ("Retry-After" in answer.headers) == (status == 503)


def test_a_fault_is_answered_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_request: Request) -> Response:
        raise KeyError("secret")

    with caplog.at_level(logging.WARNING):
        answer = TestClient(app_of(fail, Faults)).get("/")
    assert answer.status_code == 500
    assert "KeyError" in answer.json()["error"]
    assert "secret" not in answer.text
    assert len(caplog.records) == 1


def test_an_answer_that_fails_midway_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_request: Request) -> Response:
        async def lines() -> Any:  # noqa: ANN401
            yield b"1\n"
            raise BusyError("the database is busy")

        return StreamingResponse(lines())

    with caplog.at_level(logging.WARNING):
        assert TestClient(app_of(fail, Faults)).get("/").text == "1\n"
    assert "broke off" in caplog.text


def test_a_local_server_accepts_its_own_names(client: TestClient) -> None:
    wrong = ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "")
    for host in (*wrong, "127.0.0.1:80:80"):
        assert client.get("/solve?pos=44", headers={"host": host}).status_code == 403, host
    for host in ("127.0.0.1", "LOCALHOST", "[::1]:8004"):
        assert client.get("/solve?pos=44", headers={"host": host}).status_code == 200, host


def test_a_public_server_accepts_any_name() -> None:
    with serving(host="0.0.0.0", token="t") as api:  # noqa: S104, S106
        assert api.client.get("/solve?pos=44", headers={"host": "c4.example"}).status_code == 200


@pytest.mark.parametrize("listens_at", ["127.0.0.1", "192.0.2.7"])
def test_a_server_accepts_configured_names(listens_at: str) -> None:
    settings = ServerSettings(
        host=listens_at,
        token="t",  # noqa: S106
        allowed_hosts=("C4.example", "[2001:db8::1]"),
    )
    names = allowed_names(settings)
    assert names is not None
    own = (listens_at, "c4.example", "C4.EXAMPLE:8443", "localhost:8004", "[2001:db8::1]:80")
    assert all(host_name(host) in names for host in own)
    others = ("www.c4.example", "c4.example.evil.example", "c4.example@evil.example")
    assert not any(host_name(host) in names for host in others)


def test_probes_may_use_any_host_name(client: TestClient) -> None:
    pod = {"host": "10.1.2.3:8004"}
    assert [client.get(path, headers=pod).status_code for path in sorted(MONITORING)] == [200] * 3
    refused = client.get("/solve?pos=44", headers=pod)
    assert refused.status_code == 403
    assert "--allow-host" in refused.json()["error"]


def test_behind_a_proxy_a_page_may_post_and_must_send_the_token(sqlite_path: Path) -> None:
    host = {"host": "c4.example", "sec-fetch-site": "same-origin"}
    own, evil = {"origin": "https://c4.example"} | host, {"origin": "https://evil.example"} | host
    granted = {"authorization": "Bearer t"}
    wish = {"kind": "analyze", "positions": ["1212121"]}
    named = {"token": "t", "allowed_hosts": ("c4.example",)}
    with serving(database_url=str(sqlite_path), **named) as api:
        assert api.client.get("/solve?pos=44", headers=host).status_code == 200
        for headers, status in ((own, 401), (own | granted, 201), (evil | granted, 403)):
            answer = api.client.post("/api/v1/jobs", json=wish, headers=headers)
            assert answer.status_code == status


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://[::1"},
        {"origin": b"\xe9"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_pages_of_other_sites_may_not_post(client: TestClient, headers: dict[str, Any]) -> None:
    answer = client.post("/api/v1/move", json={}, headers=headers)
    assert answer.status_code == 403
    assert "may only read" in answer.json()["error"]
    assert "access-control-allow-origin" not in answer.headers
    own = {"origin": "http://127.0.0.1", "sec-fetch-site": "same-origin"}
    assert client.post("/nowhere", json={}, headers=own).status_code == 404


def test_host_names_are_recognised() -> None:
    assert all(map(is_host_name, ["c4.example", "C4", "10.0.0.2", "[::1]", "a_b.local"]))
    wrong = ["", "http://a", "a:80", "a.", ".a", "*.a", "m\u00fc.example"]
    wrong += ["[1.2.3.4]", "[", "::1", "a\n"]
    assert not any(map(is_host_name, wrong))
    assert host_name("[::1]:80") == host_name("[::1]") == "[::1]"
    assert host_name("A.example:80") == "a.example"
    assert is_loopback("127.3.2.1")
    assert is_loopback("::1")
    assert not any(map(is_loopback, ["0.0.0.0", "::", "127.0.0.1.evil.example", "192.168.0.1"]))  # noqa: S104
