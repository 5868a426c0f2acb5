"""A real ``c4 serve``: it starts, answers as documented, and ends on a signal."""

import json
import re
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import extras
from tests.support.lacking import leave_out
from tests.support.running.command_line import C4, ROOT
from tests.support.running.console import blocks, dialogue
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.web_server import WebServer

SEARCH = "/api/v1/position?board=9x6&budget=86400"
"""A search that would take a day."""


@contextmanager
def serving(c4: C4, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server on a free port: its process and the printed port."""
    command = ("serve", "--port=0", "--table-mb=8", "--max-budget=86400", *options)
    with c4.start(*command) as process:
        try:
            assert process.stdout is not None
            printed = process.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:(\d+)/", printed)
            assert address is not None, (printed, process.stderr and process.stderr.read())
            yield process, int(address[1])
        finally:
            process.kill()


def ask(port: int, path: str, **headers: str) -> tuple[int, Any]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=HANG_SECONDS)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def ended(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """End a server by a signal; return its exit code and standard error."""
    process.send_signal(number)
    _, errors = process.communicate(timeout=HANG_SECONDS)
    return process.returncode, errors


def test_open_shows_the_page_in_the_browser_and_ctrl_c_ends_the_server(
    c4: C4, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable BROWSER names the browser; this one writes down the address."""
    shown = c4.directory / "shown"
    browser = c4.directory / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {shown}.part && mv {shown}.part {shown}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with serving(c4, "--open") as (process, port):
        await_that(shown.exists)
        assert shown.read_text() == f"http://127.0.0.1:{port}/\n"
        assert ask(port, "/solve?pos=44")[1] == {"pos": "44", "score": [-3, -3, -2, 1, -2, -3, -3]}
        assert ask(port, "/readyz")[1]["status"] == "ready"
        assert ended(process, signal.SIGINT) == (0, "")


def test_sigterm_ends_running_searches(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server takes names and a token from the environment, and prints its address as JSON."""
    monkeypatch.setenv("C4_WEB_HOSTS", "c4.example www.c4.example")
    monkeypatch.setenv("C4_WEB_TOKEN", "t")
    with serving(c4, "--json") as (process, port):
        for host, status in (("www.c4.example", 200), ("c4.example", 200), ("evil.example", 403)):
            assert ask(port, "/solve?pos=44", Host=host)[0] == status
        answers: list[tuple[int, Any]] = []
        search = partial(threading.Thread, target=lambda: answers.append(ask(port, SEARCH)))
        searching = [search() for _ in range(3)]
        for thread in searching:
            thread.start()
        await_that(lambda: ask(port, "/readyz")[1]["searches"] == 3)
        assert ended(process, signal.SIGTERM) == (0, "")
        for thread in searching:
            thread.join()
    assert [status for status, _ in answers] == [503] * 3


LOCAL = "The database is a file: only workers on this machine can take the work"


@pytest.mark.parametrize("options", [(), ("--no-store",)])
def test_a_file_beside_a_broker_is_reported(c4: C4, options: tuple[str, ...]) -> None:
    """The server starts although the broker is away."""
    with serving(c4, "--broker=redis://127.0.0.1:1/0", *options) as (process, port):
        assert ask(port, "/healthz")[0] == 200
        code, errors = ended(process, signal.SIGTERM)
    assert (code, LOCAL in errors) == (0, not options)


OPTIONS = (
    ("--host=0.0.0.0", "--port=0"),
    ("--host=::", "--port=0"),
    ("--port=0", "--allow-host=c4.example"),
    ("--token=t", "--allow-host=https://c4.example"),
    *(("--token=",), ("--token= ",), ("--token=p\N{LATIN SMALL LETTER A WITH DIAERESIS}ss",)),
    *(("--trust-proxy=localhost",), ("--read-only",), ("--port=65536",), ("--rate=-1",)),
)


def test_bad_options_are_refused(c4: C4, snapshot: SnapshotAssertion) -> None:
    said = {}
    for options in OPTIONS:
        done = c4("serve", "--no-store", *options)
        assert (done.code, done.out) == (2, "")
        said[" ".join(options)] = done.err
    assert said == snapshot


def test_an_empty_token_and_a_missing_host_are_reported(
    c4: C4, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who sets a token expects that the server has one."""
    done = c4("serve", "--no-store", "--host=nowhere.invalid")
    assert done.code == 2
    assert "cannot listen at nowhere.invalid" in done.err
    monkeypatch.setenv("C4_WEB_TOKEN", "")
    done = c4("serve", "--no-store")
    assert done.code == 2
    assert "the token is empty" in done.err


def test_a_used_port_is_reported(c4: C4, snapshot: SnapshotAssertion) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = c4("serve", "--no-store", "--port", port)
    assert done.code == 2
    assert done.err.replace(port, "PORT") == snapshot


def test_a_missing_package_is_reported(
    c4: C4, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "uvicorn" else name)
    done = c4("serve")
    assert done.code == 1
    assert done.err == snapshot


def unmeasured(text: str) -> list[Any]:
    """The JSON values of an output, one for each line, without measured values."""
    return [
        {name: part for name, part in value.items() if name not in {"seconds", "nodes"}}
        for value in map(json.loads, text.splitlines())
    ]


def test_the_documented_examples_answer_as_printed() -> None:
    """They run in order: later ones use the results of earlier ones."""
    if shutil.which("curl") is None:
        leave_out("curl is not installed")
    parts = [part for block in blocks(ROOT / "docs" / "web.md") for part in dialogue(block)]
    examples = [part for part in parts if "curl" in part[0] and "127.0.0.1:8004" in part[0]]
    assert len(examples) >= 8
    with WebServer("--table-mb=1") as server:
        for line, expected in examples:
            command = ["bash", "-c", line.replace("127.0.0.1:8004", f"127.0.0.1:{server.port}")]
            out = subprocess.check_output(command, text=True, timeout=HANG_SECONDS)
            if expected:
                assert unmeasured(out) == unmeasured(expected), line
            elif "/events" in line:
                assert "event: end" in out
            else:
                assert "error" not in json.loads(out), line
