"""A real ``c4 serve``: it says where it is, answers, and ends when it is told to."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from c4core import extras
from tests.support.running.command_line import C4
from tests.support.running.waiting import AT_ONCE_SECONDS

pytest.importorskip("uvicorn")


@contextmanager
def serving(tmp_path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server at a free port: its process and the port that it has printed."""
    command = (sys.executable, "-m", "cli", "--db", str(tmp_path / "c4.db"), "serve", "--port=0")
    with subprocess.Popen(
        (*command, "--table-mb=8", *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
            assert address is not None, (said, process.stderr and process.stderr.read())
            yield process, int(address[1])
        finally:
            process.kill()


def ask(port: int, path: str) -> tuple[int, Any]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def ended(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, float, str]:
    """End a server by a signal: exit code, seconds, and what it has said of errors."""
    began = time.monotonic()
    process.send_signal(number)
    code = process.wait(timeout=20)
    assert process.stderr is not None
    return code, time.monotonic() - began, process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as (process, port):
        assert ask(port, "/solve?pos=44")[1] == {"pos": "44", "score": [-3, -3, -2, 1, -2, -3, -3]}
        assert ask(port, "/readyz")[1]["status"] == "ready"
        code, seconds, errors = ended(process, number)
    assert (code, errors) == (0, "")
    assert seconds < AT_ONCE_SECONDS


def test_a_signal_ends_running_searches(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, port):
        answers: list[tuple[int, Any]] = []

        def search() -> None:
            answers.append(ask(port, "/api/v1/position?board=9x6&budget=30"))

        searching = [threading.Thread(target=search) for _ in range(3)]
        for thread in searching:
            thread.start()
        while ask(port, "/readyz")[1]["searches"] < 3:
            time.sleep(0.01)
        code, seconds, errors = ended(process, signal.SIGTERM)
        for thread in searching:
            thread.join()
    assert (code, errors) == (0, "")
    assert seconds < AT_ONCE_SECONDS
    assert [status for status, _ in answers] == [503] * 3


def test_a_client_that_goes_away_ends_its_search(tmp_path: Path) -> None:
    with serving(tmp_path, "--searches=2") as (_process, port):
        leaving = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
        for client in leaving:
            client.sendall(
                b"GET /api/v1/position?board=9x6&budget=30 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
        while ask(port, "/readyz")[1]["searches"] < 2:
            time.sleep(0.01)
        assert ask(port, "/api/v1/position?board=9x6&budget=1")[0] == 429
        for client in leaving:
            client.close()
        deadline = time.monotonic() + 20  # the searches would take 30
        while ask(port, "/readyz")[1]["searches"]:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert ask(port, "/api/v1/position?board=9x6&budget=0.1")[0] == 200


def test_programs_are_told_the_address_as_json(tmp_path: Path) -> None:
    with serving(tmp_path, "--json") as (process, port):
        assert ask(port, "/healthz")[0] == 200
        assert ended(process, signal.SIGTERM)[0] == 0


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "cli", "serve", "--no-store", *arguments)
    root = Path(__file__).parents[3]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=30, check=False, cwd=root
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104
def test_nobody_listens_openly_without_a_token(host: str) -> None:
    ended = run("--host", host, "--port=0")
    assert ended.returncode == 2
    assert f"others can reach {host}: give a token with C4_WEB_TOKEN" in ended.stderr


def test_nobody_stands_behind_a_proxy_without_a_token() -> None:
    ended = run("--port=0", "--allow-host=c4.example")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "others can reach this server as c4.example: give a token with C4_WEB" in ended.stderr


def test_names_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("C4_WEB_HOSTS", "c4.example www.c4.example")
    monkeypatch.setenv("C4_WEB_TOKEN", "t")
    with serving(tmp_path) as (_, port):
        for host, status in (("www.c4.example", 200), ("c4.example", 200), ("evil.example", 403)):
            with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                connection.request("GET", "/healthz", headers={"Host": host})
                assert connection.getresponse().status == status


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("--port", str(port))
    assert ended.returncode == 2
    assert ended.stderr == (
        f"Error: cannot listen at 127.0.0.1, port {port}: Address already in use\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--token="], "--token is empty"),
        (["--read-only"], "--read-only is about the database"),
        (["--port=65536"], "65536 is not in the range"),
        (["--rate=-1"], "-1.0 is not in the range"),
        (["--token=t", "--allow-host=https://c4.example"], "such as c4.example, not 'https://c4"),
        (["--host=nowhere.invalid"], "cannot listen at nowhere.invalid"),
    ],
)
def test_options_that_make_no_sense(arguments: list[str], message: str) -> None:
    ended = run(*arguments)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "uvicorn" else name)
    done = C4(tmp_path)("serve")
    assert done.code == 1
    assert "the server needs the package uvicorn: pip install uvicorn" in done.err
