"""Attacks by one client on a real server: its memory, and the delay of another client.

Each attack is bounded in number and time. ``pytest -s`` prints what it measures.
"""

import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import product
from pathlib import Path
from threading import Event

import pytest

from tests.integration.db.test_hostile_files import BOMB, ENDLESS, journal
from tests.support.running.command_line import C4
from tests.support.running.raw_http import JSON_BODY, POSTS, connected, status_of
from tests.support.running.waiting import needs_proc
from tests.support.running.web_server import WebServer

pytestmark = needs_proc

ATTACKER, OTHER = "127.0.0.9", "127.0.0.10"
ATTACK_SECONDS = 4.0
MOST_MB = 40.0
"""Limit for the additional memory of an attack."""
MOST_SECONDS = 2.0
"""Limit for the delay of another client, also on a busy machine; without limits, attacks caused
delays of 4 to 10 seconds."""
COMMAND_MB = 250.0
"""Limit for the memory of a command; most of it are its imports."""
METRICS = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer("--table-mb=1", "--rate=0") as running:
        running.ask("/solve?pos=4453")
        yield running
        assert "Traceback" not in running.said
        assert "a fault in c4" not in running.said


@contextmanager
def bounded(server: WebServer) -> Iterator[None]:
    """Bound the server's peak memory and the longest delay of another client until the end."""
    process, is_over = Path(f"/proc/{server.pid}"), Event()
    (process / "clear_refs").write_text("5")  # the peak is the present size
    before = server.resident_mb
    with ThreadPoolExecutor() as pool:
        longest = pool.submit(longest_delay, server, is_over)
        try:
            yield
        finally:
            is_over.set()
    peak = int(re.findall(r"VmHWM:\s+(\d+)", (process / "status").read_text())[0]) * 1024 / 1e6
    sys.stdout.write(
        f"{peak - before:.1f} MB more; another client waited {longest.result():.2f} s\n"
    )
    assert longest.result() < MOST_SECONDS
    assert peak < before + MOST_MB


def longest_delay(server: WebServer, is_over: Event) -> float:
    """The longest time in which another client gets an answer."""
    longest = 0.0
    while not (longest and is_over.wait(0.05)):
        began = time.monotonic()
        with connected(server, OTHER) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert status_of(client.recv(65536)) == 200
        longest = max(longest, time.monotonic() - began)
    return longest


def test_requests_sent_ahead_wait_outside_the_server(server: WebServer) -> None:
    """12 connections send 8,000 requests each, and read no answer."""
    sent = METRICS.replace(b"metrics", b"api/v1/openapi.json") * 3 + METRICS * 8_000
    with bounded(server), ExitStack() as at_end:
        for _ in range(12):
            client = at_end.enter_context(connected(server, ATTACKER))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.setblocking(False)
            with suppress(BlockingIOError):
                client.send(sent)
        time.sleep(ATTACK_SECONDS)


def nested(size: int) -> bytes:
    """A body of lists, 50 deep."""
    return b'{"moves": [' + b",".join([b"[" * 50 + b"]" * 50] * (size // 101)) + b"]}"


@pytest.mark.parametrize("path", POSTS)
def test_nested_json_does_not_hold_the_loop(server: WebServer, path: str) -> None:
    """Four connections send bodies of the largest size, and bodies of 1 MiB."""

    def attack(size: int) -> None:
        body, end = nested(size), time.monotonic() + ATTACK_SECONDS
        while time.monotonic() < end:
            with suppress(OSError):  # refused before it is read
                answer = server.ask(path, method="POST", body=body, headers=JSON_BODY)
                assert answer.status in {400, 413}

    with bounded(server), ThreadPoolExecutor() as pool:
        list(pool.map(attack, [64_000, 64_000, 1 << 20, 1 << 20]))


UPGRADES = ("foo", "websocket", "h2c")
PATHS = ("POST /api/v1/move", "POST /api/v1/batch", "POST /kaggle", "GET /healthz")


@pytest.mark.parametrize("upgrade", UPGRADES)
def test_a_body_after_an_upgrade_is_not_a_request(server: WebServer, upgrade: str) -> None:
    with bounded(server):
        send_upgrades(server, upgrade)


def send_upgrades(server: WebServer, upgrade: str) -> None:
    for path, is_chunked in product(PATHS, (False, True)):
        framing = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(METRICS)}"
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(METRICS), METRICS) if is_chunked else METRICS
        head = f"{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Connection: Upgrade\r\nUpgrade: {upgrade}\r\n{framing}\r\n\r\n"
        last = b"GET /solve?pos=44 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with connected(server) as client:
            client.sendall(head.encode())
            received = client.recv(1) if path.startswith("GET") else b""
            client.sendall(body + last)
            while piece := client.recv(65536):
                received += piece
        assert len(re.findall(rb"HTTP/1\.1 \d+", received)) == 2, path
        assert b"c4_web" not in received
        assert b'"score"' in received


@pytest.mark.parametrize(
    "statements",
    [
        [f"ALTER TABLE jobs ADD COLUMN other AS ({BOMB})"],
        ["ALTER TABLE jobs RENAME TO hidden", f"CREATE VIEW jobs AS {ENDLESS}"],
        [
            f"CREATE VIEW endless AS {ENDLESS}",
            "CREATE TRIGGER trap AFTER INSERT ON jobs BEGIN SELECT count(*) FROM endless; END",
        ],
        [],
    ],
    ids=["generated column", "endless view", "endless trigger", "journal of 4.4 TB"],
)
@pytest.mark.parametrize("command", ["jobs list", "match easy random --games 1", "serve --port 0"])
def test_a_received_database_is_refused(c4: C4, statements: list[str], command: str) -> None:
    """No server begins with such a file, so the time of the command is measured instead."""
    assert c4("db", "init").code == 0
    path = c4.directory / "test.db"
    with closing(sqlite3.connect(path)) as received, received:
        for statement in statements:
            received.execute(statement)
    size = path.stat().st_size
    if not statements:
        Path(f"{path}-journal").write_bytes(journal(1024))
    began = time.monotonic()
    with c4.start(*command.split(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        assert running.stderr is not None
        assert "Error: " in running.stderr.read()
    seconds, peak = time.monotonic() - began, used.ru_maxrss * 1024 / 1e6
    sys.stdout.write(f"at most {peak:.0f} MB, {seconds:.2f} s\n")
    assert (running.returncode, path.stat().st_size) == (1, size)
    assert peak < COMMAND_MB


CONNECTIONS = 1_000
"""Idle connections of one client; the server accepts 2,000 of all clients together."""


def test_idle_connections_and_metrics_hold_up_nobody(server: WebServer) -> None:
    """Half of the connections send nothing, the others half a head; metrics are read meanwhile."""
    with bounded(server), ExitStack() as at_end:
        for number in range(CONNECTIONS):
            client = at_end.enter_context(connected(server, ATTACKER))
            client.sendall(METRICS[: number % 2 * 30])
        for _ in range(100):
            assert server.ask("/metrics").status == 200


def test_event_streams_hold_up_nobody(server: WebServer) -> None:
    """One client watches an endless job 200 times."""
    endless = {"kind": "analyze", "board": "9x6", "positions": [""]}
    job = server.post("/api/v1/jobs", endless).json["id"]
    request = METRICS.replace(b"metrics", b"api/v1/jobs/%d/events" % job)
    with bounded(server), ExitStack() as at_end:
        clients = [at_end.enter_context(connected(server, ATTACKER)) for _ in range(200)]
        for client in clients:
            client.sendall(request)
        assert {status_of(client.recv(65536)) for client in clients} == {200}
        time.sleep(ATTACK_SECONDS)
    assert server.post(f"/api/v1/jobs/{job}/cancel", {}).status == 200


def test_no_player_breaks_for_everybody(server: WebServer) -> None:
    """Every player at the ends of its parameters, first on the smallest boards, then on 7x6."""
    with bounded(server):
        for player in server.ask("/api/v1/players").json:
            if player["program"] or not player["available"]:
                continue
            ends = [player["name"]]
            for each in player["parameters"]:
                values = {each["low"], each["high"]} - {None}
                ends += [f"{player['name']}:{each['name']}={value:g}" for value in values]
            for one, board in product(ends, ("1x5", "4x1", "7x6")):
                body = {"moves": "", "board": board, "player": one, "seconds": 0.05}
                answer = server.post("/api/v1/move", body)
                assert answer.status in {200, 400, 422}, (one, board, answer)
            plain = {"moves": "44", "player": player["name"], "seconds": 0.05}
            assert server.post("/api/v1/move", plain).status == 200, player["name"]
