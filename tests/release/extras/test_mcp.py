"""``c4 mcp``: a process that a client of the official SDK starts, and docs/mcp.md."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.support.boards.games import EASY
from tests.support.running.command_line import C4, ROOT
from tests.support.running.console import blocks
from tests.support.running.waiting import HANG_SECONDS, needs_proc
from workers.tools import NAMES

PAGE = ROOT / "docs" / "mcp.md"
OPTIONS = ("--threads", "1", "--table-mb", "1", "--max-budget", "3600")
HARD = {"position": "", "board": "9x6", "budget": 3600}
"""A search that does not end during a test."""


def server(c4: C4, *options: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "cli", "mcp", *options], env=c4.environment
    )


def converse(c4: C4, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The result of each call in one session: the structured content, or the error's text."""

    async def run() -> list[Any]:
        found: list[Any] = []
        async with Client(stdio_client(server(c4, *OPTIONS))) as client:
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                (text,) = result.content
                if not result.is_error:
                    assert json.loads(text.text) == result.structured_content
                found.append(text.text if result.is_error else result.structured_content)
        return found

    return asyncio.run(run())


def test_the_tools_describe_themselves(c4: C4) -> None:
    async def run() -> None:
        async with Client(stdio_client(server(c4))) as client:
            assert "Connect Four" in (client.instructions or "")
            tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(NAMES)
        for tool in tools:
            assert tool.description
            assert tool.input_schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
            fields = tool.input_schema["properties"].values()
            assert all(field["description"] for field in fields)

    asyncio.run(run())


def test_a_session_with_every_tool(c4: C4) -> None:
    solved, several, reviewed, legal, move = converse(
        c4,
        ("solve", {"position": EASY}),
        ("analyze", {"positions": [EASY, list(map(int, EASY))]}),
        ("review", {"moves": EASY, "budget": 0}),
        ("legal_moves", {"position": EASY}),
        ("best_move", {"position": EASY, "budget": "20"}),
    )
    assert (solved["score"], solved["value"], solved["plies"]) == (-1, "loss", 4)
    assert [answer["scores"] for answer in several["answers"]] == [solved["scores"]] * 2
    assert len(reviewed["moves_judged"]) == len(EASY)
    assert (legal["columns"], legal["winner"]) == ([6, 7], None)
    assert move["column"] in solved["best"]
    (stored,) = converse(c4, ("query", {"min_ply": len(EASY)}))  # stored by the first server
    assert [row["score"] for row in stored["rows"]] == [-1]


def test_bad_input_is_an_error_of_the_tool(c4: C4) -> None:
    found = converse(
        c4,
        ("solve", {"position": "48"}),
        ("solve", {"position": "4", "boad": "7x6"}),
        ("solve", {}),
        ("solve", {"position": 4453}),
        ("query", {"value": "won"}),
        ("best_move", {"position": "4", "player": "exec:ls"}),
    )
    assert found == [
        "move 2: column 8 is outside the board (columns 1 to 7)",
        "Object contains unknown field `boad`",
        "Object missing required field `position`",
        "Expected `str | object | array`, got `int` - at `$.position`",
        "Invalid enum value 'won' - at `$.value`",
        "players that are programs or read files are refused",
    ]


class Server:
    """The process, and lines of the protocol as they are."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        info = {"name": "test", "version": "1"}
        start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        self.send(id=0, method="initialize", params=start)
        assert self.receive()["result"]["serverInfo"]["name"] == "c4"
        self.send(method="notifications/initialized")

    def send(self, **message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def call(self, number: int, tool: str, arguments: dict[str, Any]) -> None:
        self.send(id=number, method="tools/call", params={"name": tool, "arguments": arguments})

    def receive(self) -> Any:  # noqa: ANN401
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


def started(c4: C4) -> Server:
    return Server(c4.start("mcp", "--no-store", *OPTIONS, bufsize=1))


def peak_mb(process: subprocess.Popen[str]) -> float:
    """The peak memory use of a process."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


@needs_proc
def test_a_long_message_is_refused_and_takes_little_memory(c4: C4) -> None:
    """A message of 200 MB is cut, so it is not JSON: it is not answered. The next one is."""
    server = started(c4)
    before = peak_mb(server.process)
    assert server.process.stdin is not None
    call = {"name": "legal_moves", "arguments": {"position": [4]}}
    head, tail = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    ).split("4]")
    server.process.stdin.write(head)
    for _ in range(200):
        server.process.stdin.write(" " * 1_000_000)
    server.process.stdin.write(f"4]{tail}\n")
    server.call(2, "legal_moves", {"position": ""})
    assert server.receive()["id"] == 2
    assert peak_mb(server.process) < before + 20
    server.process.communicate(timeout=HANG_SECONDS)
    assert server.process.returncode == 0


def test_a_cancelled_call_ends_its_search(c4: C4) -> None:
    """Otherwise the searches would keep all threads, and the last call would wait."""
    server = started(c4)
    for number in range(1, 9):
        server.call(number, "solve", HARD)
        server.send(method="notifications/cancelled", params={"requestId": number})
    server.call(9, "legal_moves", {"position": ""})
    assert server.receive()["id"] == 9
    _, errors = server.process.communicate(timeout=HANG_SECONDS)
    assert (server.process.returncode, errors) == (0, "")


def test_a_broken_line_and_an_unknown_tool(c4: C4) -> None:
    server = started(c4)
    assert server.process.stdin is not None
    server.process.stdin.write("nonsense\n\n")
    server.call(1, "guess", {})
    assert "no such tool; there are solve, analyze" in server.receive()["error"]["message"]
    rest, errors = server.process.communicate(timeout=HANG_SECONDS)
    assert (server.process.returncode, rest, errors) == (0, "", "")


@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM])
def test_the_end_comes_during_a_search(c4: C4, number: signal.Signals | None) -> None:
    """The input ends, or a signal comes while it is open."""
    server = started(c4)
    server.call(1, "solve", HARD)
    server.call(2, "legal_moves", {"position": ""})
    assert server.receive()["id"] == 2
    if number is not None:
        server.process.send_signal(number)
        assert server.process.wait(HANG_SECONDS) == 128 + number
    _, errors = server.process.communicate(timeout=HANG_SECONDS)
    assert errors == ("" if number is None else "Interrupted.\n")
    assert server.process.returncode == (0 if number is None else 128 + number)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The session of docs/mcp.md, with `c4` as installed."""
    program = tmp_path / "bin" / "c4"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m cli "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    (code,) = blocks(PAGE, "python")
    (expected,) = blocks(PAGE, "text")
    exec(code, {"__name__": "__main__"})  # noqa: S102 (a page of this project)
    assert capfd.readouterr().out == expected
