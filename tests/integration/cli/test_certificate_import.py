"""``c4 certificate import``: proofs of other programs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from c4core.position import Position
from tests.support.certificates import CHECKER
from tests.support.running.command_line import C4
from tests.support.weakc4 import small_solution, write_solution

if TYPE_CHECKING:
    from pathlib import Path

START = Position("1221", width=5, height=4)
IMPORT = ("certificate", "import", "entries.json", "diagrams.json")
SMALL = (*IMPORT, "--board", "5x4", "--start", "1221")


@pytest.fixture
def c4(tmp_path: Path) -> C4:
    """Run commands beside a small solution."""
    write_solution(tmp_path, *small_solution(START))
    return C4(tmp_path)


def entries(c4: C4) -> dict[str, object]:
    found: dict[str, object] = json.loads((c4.directory / "entries.json").read_text())
    return found


def test_a_solution_is_checked(c4: C4) -> None:
    done = c4(*SMALL)
    assert done.code == 0
    count = len(entries(c4))
    assert "x wins against every reply" in done.out
    assert "1221, on 5x4" in done.out
    assert f"{count:,} used of {count:,}" in done.out
    said = json.loads(c4(*SMALL, "--json").out)
    assert (said["complete"], said["board"], said["start"]) == (True, "5x4", START.key)
    assert (said["entries_used"], said["entries_unused"]) == (count, [])
    assert said["certificate"] is None


def test_a_solution_becomes_a_certificate(c4: C4) -> None:
    said = json.loads(c4(*SMALL, "--out", "won.c4proof", "--json").out)
    assert (said["certificate"]["file"], said["certificate"]["lower"]) == ("won.c4proof", 1)
    assert c4("certificate", "verify", "won.c4proof").code == 0
    command = [sys.executable, "-I", str(CHECKER), "won.c4proof"]
    done = subprocess.run(command, cwd=c4.directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.endswith(" scores at least 1\n")
    before = (c4.directory / "won.c4proof").read_bytes()
    again = c4(*SMALL, "--out", "won.c4proof")
    assert again.code == 2
    assert "exists already: --force replaces it" in again.err
    assert "won.c4proof, " in c4(*SMALL, "--out", "won.c4proof", "--force").out
    assert (c4.directory / "won.c4proof").read_bytes() == before


def test_a_hole_is_an_error(c4: C4) -> None:
    (c4.directory / "entries.json").write_text('{"1221": "3"}')
    done = c4(*SMALL, "--out", "won.c4proof")
    assert done.code == 1
    assert done.err.startswith("Error: no win: after 12213")
    assert done.err.endswith(": there is no entry for the position, and no win in one move\n")
    assert not (c4.directory / "won.c4proof").exists()


def test_unused_parts_are_shown(c4: C4) -> None:
    more = {**entries(c4), "5": "5"}
    (c4.directory / "entries.json").write_text(json.dumps(more))
    diagrams = json.loads((c4.directory / "diagrams.json").read_text())
    (c4.directory / "diagrams.json").write_text(json.dumps([*diagrams, diagrams[0]]))
    done = c4(*SMALL)
    assert done.code == 0
    assert done.out.endswith(f"unused: the entry '5'\nunused: diagram {len(diagrams)}\n")
    said = json.loads(c4(*SMALL, "--json").out)
    assert (said["entries_unused"], said["diagrams_unused"]) == (["5"], [len(diagrams)])


def test_bad_requests_are_refused(c4: C4) -> None:
    other = c4(*IMPORT)
    assert other.code == 1
    assert other.err == "Error: diagrams.json: diagram 0 is not a list of 6 rows\n"
    (c4.directory / "entries.json").write_text("{")
    damaged = c4(*SMALL)
    assert damaged.code == 1
    assert damaged.err.startswith("Error: entries.json: not JSON: ")
