"""Middleware of every request: rate limits, headers, and error responses."""

import logging
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
from web.access import Clients
from web.middleware import MOST_CLIENTS, Faults, Rate
from web.responses import ApiError, as_api_error
from web.settings import Limits
from workers.errors import BrokerUnreachableError

SECRET = "/srv/c4.db"
LOCAL = "http://127.0.0.1"


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
    assert client.get("/nowhere").json() == {
        "error": "this path does not exist",
        "field": None,
    }
    assert client.get("/solve/", follow_redirects=False).status_code == 404
    wrong = client.post("/solve")
    assert wrong.status_code == 405
    assert wrong.headers["allow"] == "GET, HEAD"
    assert wrong.json()["error"] == "this path answers GET, HEAD only, not POST"


class Clock:
    """A clock that the test advances."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def rated(clock: Clock, **limits: Any) -> Starlette:  # noqa: ANN401
    async def answer(_request: Request) -> Response:
        return Response()

    return Starlette(
        routes=[Route("/", answer)],
        middleware=[Middleware(Rate, Limits(**limits), clock)],
    )


def test_the_rate_of_a_client_is_limited() -> None:
    clock = Clock()
    app = rated(clock, requests_per_second=2, burst=3)
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
    ("address", "forwarded", "client"),
    [
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),  # not from a proxy, so the header is ignored
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("127.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("127.0.0.1", ["203.0.113.9", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        ("127.0.0.1", ["198.51.100.7, nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["127.0.0.1"], "127.0.0.1"),
        ("127.0.0.1", ["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::"),
        ("::ffff:127.0.0.1", ["::ffff:198.51.100.7"], "198.51.100.7"),
        ("2001:db8:1:2:ffff::1", [], "2001:db8:1:2::"),
        ("testclient", ["198.51.100.7"], "testclient"),
    ],
)
def test_clients_are_distinguished(address: str, forwarded: list[str], client: str) -> None:
    async def answer(request: Request) -> Response:
        assert request.client is not None
        return Response(request.client.host)

    proxies = frozenset({"127.0.0.1", "10.0.0.2"})
    app = Starlette(routes=[Route("/", answer)], middleware=[Middleware(Clients, proxies)])
    headers = [("x-forwarded-for", value) for value in forwarded]
    assert TestClient(app, client=(address, 1)).get("/", headers=headers).text == client


def test_idle_clients_are_forgotten() -> None:
    rate = Rate(rated(Clock()), Limits(requests_per_second=1, burst=1), Clock())
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

    app = Starlette(routes=[Route("/", fail)], middleware=[Middleware(Faults)])
    with caplog.at_level(logging.WARNING):
        answer = TestClient(app).get("/")
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

    app = Starlette(routes=[Route("/", fail)], middleware=[Middleware(Faults)])
    with caplog.at_level(logging.WARNING):
        assert TestClient(app).get("/").text == "1\n"
    assert "broke off" in caplog.text
