"""A book has the same bytes for any number of threads and interruptions."""

import json
import re
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from db.records.jobs import UnitState
from tests.support.boards.books import digest
from tests.support.refusals import refused
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.watching import await_units, held_back, units

BUILD = ("book", "build", "--board", "5x4", "--plies", "8", "--table-mb", "8")
"""Has 41 units, each quickly done."""
AT_ONCE = 10
"""Largest number of units that a process may do before it is interrupted."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the book that one thread builds."""
    c4 = C4(tmp_path_factory.mktemp("undisturbed"))
    assert c4(*BUILD, "--threads", "1", "--output", "x.c4book").code == 0
    return digest(c4.directory / "x.c4book")


def test_two_threads(c4: C4, undisturbed: str) -> None:
    done = c4(*BUILD, "--threads", "2")
    assert done.code == 0
    assert re.search(r"c4-5x4-ply8.c4book: 16,465 positions, [\d,]+ bytes", done.err)
    assert digest(c4.directory / "c4-5x4-ply8.c4book") == undisturbed


def test_interrupted_and_resumed_twice(
    c4: C4, interrupt: Callable[..., str], undisturbed: str
) -> None:
    url = c4.environment["C4_DB"]
    assert c4(*BUILD, "--detach").code == 0
    for _ in range(2):
        done = units(url)[UnitState.DONE]
        with held_back(url, 1, free=AT_ONCE) as kept:
            command = (*BUILD, "--threads", "2", "--output", "x.c4book")
            errors = interrupt(c4, *command, done=done + 2)
            assert "Give the same command again to continue" in errors
            assert units(url)[UnitState.LEASED] == kept
        assert not (c4.directory / "x.c4book").exists()
    last = c4(*BUILD, "--output", "x.c4book")
    assert (last.code, "job 1 done" in last.err) == (0, True)
    assert digest(c4.directory / "x.c4book") == undisturbed


def test_a_cancelled_build_reports_what_is_done(c4: C4) -> None:
    """The book takes minutes, so it does not end before it is cancelled."""
    building = c4.start("book", "build", "--board", "6x6", "--plies", "10", "--threads", "1")
    await_units(c4.environment["C4_DB"], building, UnitState.DONE, 1)
    assert c4("jobs", "cancel", "1").code == 0
    _, errors = building.communicate(timeout=HANG_SECONDS)
    assert building.returncode == 1
    ((done, planned),) = re.findall(r"job 1 cancelled: ([\d,]+) of ([\d,]+) positions", errors)
    assert 0 < int(done.replace(",", "")) < int(planned.replace(",", ""))
    assert "job 1 was cancelled: continue it with c4 jobs resume 1" in errors


def test_only_the_same_book_is_replaced_without_force(c4: C4, snapshot: SnapshotAssertion) -> None:
    command = "book build --board 5x4 --plies 3 --output x.c4book"
    other = command.replace("--plies 3", "--plies 4")
    book = c4.directory / "x.c4book"
    assert c4(*command.split()).code == 0
    written = digest(book)
    assert c4(*command.split()).code == 0
    assert digest(book) == written
    assert refused(c4, other) == snapshot
    assert digest(book) == written
    book.write_bytes(book.read_bytes()[:-1])
    assert c4(*command.split()).code == 2
    assert c4(*other.split(), "--force").code == 0
    assert digest(book) != written


def test_detached_then_resumed_then_written(c4: C4) -> None:
    command = ("book", "build", "--board", "5x4", "--plies", "6", "--json")
    detached = c4(*command[:-1], "--detach")
    assert (detached.code, detached.out) == (0, "1\n")
    assert "c4 jobs resume 1" in detached.err
    assert list(c4.directory.glob("*.c4book")) == []
    resumed = c4("jobs", "resume", "1", "--output", "-")
    assert resumed.code == 0
    assert {found["board"] for found in resumed.objects} == {"5x4"}
    assert c4("jobs", "results", "1").out == resumed.out
    first, again = c4(*command), c4("-v", *command)
    assert json.loads(first.out) | {"seconds": 0} == json.loads(again.out) | {"seconds": 0}
    assert "job 1 was done before" in again.err
    assert c4("book", "verify", "c4-5x4-ply6.c4book").code == 0
    assert json.loads(c4(*command, "--fresh").out)["jobs"] == [2]


def test_special_files_are_refused(c4: C4) -> None:
    """The system's reason for /proc varies; tests/integration/cli/refusals.txt has other places."""
    assert "'/proc/x'" in refused(c4, "book build --plies 4 --output /proc/x")[1]
    assert "'/proc/x'" in refused(c4, "dataset build --output /proc/x")[1]
    assert not (c4.directory / "test.db").exists()
