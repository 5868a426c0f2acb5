"""The text output of commands, as snapshots without times and rates.

The command lines are in ``shown.txt``. They change nothing.
"""

import shlex
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.boards.games import EASY
from tests.support.running.command_line import C4
from tests.support.running.console import without_measures

LINES = Path(__file__).with_name("shown.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def c4(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """Job 1 is done, job 2 is detached, jobs 3 and 4 have played matches 1 and 2."""
    c4 = C4(tmp_path_factory.mktemp("shown"))
    assert c4("analyze", "-", "--label", "first", stdin=f"{EASY}\n{EASY}6\n").code == 0
    assert c4("analyze", "-", "--detach", stdin=f"{EASY}\n{EASY}6\n9\n").code == 0
    for line in LINES:
        if line.startswith("match") and not line.endswith("--markdown"):
            assert c4(*shlex.split(line)).code == 0
    (c4.directory / "games.jsonl").write_text('{"moves": "1213"}\n{"moves": "2142"}\n')
    prove = ("prove", "", "--board", "4x4", "--output", "small.c4proof")
    assert c4("--db", "other.db", *prove).code == 0
    return c4


@pytest.mark.parametrize("line", LINES)
def test_the_output_of_a_command(c4: C4, line: str, snapshot: SnapshotAssertion) -> None:
    done = c4(*shlex.split(line))
    text = f"{done.out}{done.err}exit code {done.code}"
    assert without_measures(text).replace(str(c4.directory), "DIRECTORY") == snapshot
