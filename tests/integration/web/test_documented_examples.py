"""The examples of docs/web.md run against a server, with curl as printed."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.lacking import leave_out
from tests.support.running.command_line import ROOT
from tests.support.running.console import blocks, dialogue
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import WebServer

PAGE = ROOT / "docs" / "web.md"
EXAMPLES = [
    part for block in blocks(PAGE) for part in dialogue(block) if "127.0.0.1:8004" in part[0]
]
MEASURED = {"seconds", "nodes"}


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer("--table-mb=1") as running:
        yield running


def values(text: str) -> list[Any]:
    """The JSON values of an output, one for each line, without measured values."""
    return [_unmeasured(json.loads(line)) for line in text.splitlines()]


def _unmeasured(value: Any) -> Any:  # noqa: ANN401 (JSON)
    if not isinstance(value, dict):
        return value
    return {name: part for name, part in value.items() if name not in MEASURED}


def test_examples_answer_as_printed(server: WebServer) -> None:
    """They run in order: later ones use the results of earlier ones."""
    if shutil.which("curl") is None:
        leave_out("curl is not installed")
    examples = [one for one in EXAMPLES if "curl" in one[0]]
    assert len(examples) >= 8
    for line, expected in examples:
        command = line.replace("127.0.0.1:8004", f"127.0.0.1:{server.port}")
        out = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            check=True,
            text=True,
            timeout=HANG_SECONDS,
        ).stdout
        if expected:
            assert values(out) == values(expected), line
        elif "/events" in line:
            assert "event: end" in out
        else:
            assert "error" not in json.loads(out), line
