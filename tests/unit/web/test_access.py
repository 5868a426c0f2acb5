"""The hosts that requests may name, and the pages that may send them."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from web.access import allowed_names, host_name, is_host_name, is_loopback
from web.app import create_app
from web.settings import Settings

LOCAL = "http://127.0.0.1"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("LOCALHOST", 200),
        ("[::1]:8004", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost@evil.example", 403),
        ("", 403),
        ("127.0.0.1:80:80", 403),
    ],
)
def test_a_local_server_accepts_its_own_names(client: TestClient, host: str, status: int) -> None:
    assert client.get("/healthz", headers={"host": host}).status_code == status


def test_a_public_server_accepts_any_name() -> None:
    settings = Settings(threads=1, table_mb=1, host="0.0.0.0", token="t")  # noqa: S104, S106
    with TestClient(create_app(settings), base_url="http://c4.example") as client:
        assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("listens_at", ["127.0.0.1", "192.0.2.7"])
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("c4.example", 200),
        ("C4.EXAMPLE:8443", 200),
        ("localhost:8004", 200),
        ("[2001:db8::1]:80", 200),
        ("www.c4.example", 403),
        ("c4.example.evil.example", 403),
        ("c4.example@evil.example", 403),
    ],
)
def test_a_server_accepts_configured_names(listens_at: str, host: str, status: int) -> None:
    settings = Settings(host=listens_at, token="t", allowed_hosts=("C4.example", "[2001:db8::1]"))  # noqa: S106
    names = allowed_names(settings)
    assert names is not None
    assert (host_name(host) in names) == (status == 200)
    assert listens_at in names


def test_behind_a_proxy_a_page_may_post_and_must_send_the_token(tmp_path: Path) -> None:
    settings = Settings(
        threads=1,
        table_mb=1,
        database_url=str(tmp_path / "c4.db"),
        token="t",  # noqa: S106
        allowed_hosts=("c4.example",),
    )
    own = {"origin": "https://c4.example", "sec-fetch-site": "same-origin"}
    wish = {"kind": "analyze", "positions": ["1212121"]}
    with TestClient(create_app(settings), base_url="http://c4.example") as client:
        assert client.get("/healthz").status_code == 200
        assert client.post("/api/v1/jobs", json=wish, headers=own).status_code == 401
        granted = own | {"authorization": "Bearer t"}
        assert client.post("/api/v1/jobs", json=wish, headers=granted).status_code == 201
        evil = granted | {"origin": "https://evil.example"}
        assert client.post("/api/v1/jobs", json=wish, headers=evil).status_code == 403


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


def test_own_pages_may_post(client: TestClient) -> None:
    own = {"origin": LOCAL, "sec-fetch-site": "same-origin"}
    assert client.post("/nowhere", json={}, headers=own).status_code == 404


def test_host_names_are_recognised() -> None:
    assert all(map(is_host_name, ["c4.example", "C4", "10.0.0.2", "[::1]", "a_b.local"]))
    wrong = [
        "",
        "http://a",
        "a:80",
        "a.",
        ".a",
        "*.a",
        "m\u00fc.example",
        "[1.2.3.4]",
        "[",
        "::1",
        "a\n",
    ]
    assert not any(map(is_host_name, wrong))
    assert host_name("[::1]:80") == host_name("[::1]") == "[::1]"
    assert host_name("A.example:80") == "a.example"
    assert is_loopback("127.3.2.1")
    assert is_loopback("::1")
    assert not any(map(is_loopback, ["0.0.0.0", "::", "127.0.0.1.evil.example", "192.168.0.1"]))  # noqa: S104
