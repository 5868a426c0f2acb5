"""The same certificate, whoever proves it and whatever happens meanwhile: the same bytes."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from db.records.jobs import UnitState
from tests.support.running.command_line import C4
from tests.support.running.watching import await_units, units, working

if TYPE_CHECKING:
    from pathlib import Path

HARD = ("prove", "", "--board", "7x5", "--at-most", "0", "--table-mb", "8")
"""Two seconds of work, in a trunk and some seventy parts."""
PARTS_AT_ONCE = 8
"""Units of it that a process can have before it is killed: it does not get to the end with them."""


@pytest.fixture
def c4(tmp_path: Path) -> C4:
    return C4(tmp_path)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The certificate that one thread makes."""
    c4 = C4(tmp_path_factory.mktemp("undisturbed"))
    assert c4(*HARD, "--threads", "1", "--out", "x.c4proof").code == 0
    return (c4.directory / "x.c4proof").read_bytes()


def test_killed_while_proving(c4: C4, undisturbed: bytes) -> None:
    assert c4(*HARD, "--detach").out == "1\n"
    url = c4.environment["C4_DB"]
    with working(url, 1, searches=0) as process:  # in the trunk
        await_units(url, process, UnitState.LEASED, 1)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert units(url)[UnitState.DONE] == 0
    for _ in range(3):
        done = units(url)[UnitState.DONE]
        with working(url, 1, searches=PARTS_AT_ONCE) as process:
            await_units(url, process, UnitState.DONE, done + 3)
            process.kill()
        assert process.returncode == -signal.SIGKILL
    assert 9 <= units(url)[UnitState.DONE] < sum(units(url).values()) - 20
    last = c4(*HARD, "--out", "x.c4proof")
    assert (last.code, "job 1 done" in last.err) == (0, True)
    assert (c4.directory / "x.c4proof").read_bytes() == undisturbed


def test_interrupted_and_cancelled(c4: C4) -> None:
    assert c4("db", "init").code == 0
    url = c4.environment["C4_DB"]
    # A board that nobody solves within a test.
    endless = ("prove", "", "--board", "8x7", "--at-most", "0", "--table-mb", "8")
    with c4.start(*endless, "--out", "no.c4proof") as process:
        await_units(url, process, UnitState.LEASED, 1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "The same command again goes on, and writes the certificate in the end." in errors
    assert units(url)[UnitState.LEASED] == 0
    assert not (c4.directory / "no.c4proof").exists()
    assert c4("jobs", "cancel", "1").code == 0
    assert "cancelled" in c4("jobs", "show", "1").out


def test_detached_then_resumed_then_written_by_its_number(c4: C4) -> None:
    command = ("prove", "", "--board", "5x4")
    detached = c4(*command, "--detach")
    assert (detached.code, detached.out) == (0, "1\n")
    assert "Work on it with: c4 jobs resume 1" in detached.err
    early = c4("certificate", "write", "1", "--out", "x.c4proof")
    assert (early.code, early.err) == (
        1,
        "Error: job 1 is running: it has to be done first\n",
    )
    resumed = c4("jobs", "resume", "1", "--output", "-")
    assert resumed.code == 0
    stages = [found["stage"] for found in resumed.objects]
    assert stages == ["score", "trunk", "trunk"]
    assert c4("certificate", "write", "1", "--out", "x.c4proof").code == 0
    again = c4("-v", *command, "--out", "y.c4proof")
    assert (again.code, "job 1 was done before" in again.err) == (0, True)
    files = [(c4.directory / name).read_bytes() for name in ("x.c4proof", "y.c4proof")]
    assert files[0] == files[1]
    refused = c4("certificate", "write", "1", "--out", "x.c4proof")
    assert (refused.code, "exists already" in refused.err) == (2, True)
    fresh = c4(*command, "--fresh", "--out", "z.c4proof", "--json")
    assert json.loads(fresh.out)["job"] == 2


def test_what_does_not_go_together(c4: C4) -> None:
    for extra in ((), ("--detach", "--out", "x.c4proof"), ("--detach", "--force")):
        assert c4("prove", "", "--board", "4x4", *extra).code == 2
    assert c4("analyze", "--detach", "-", stdin="4453\n").code == 0
    other = c4("certificate", "write", "1", "--out", "x.c4proof")
    assert (other.code, "job 1 is of kind analyze" in other.err) == (1, True)
