"""Workers on a broker build a book, even if one is killed."""

import subprocess

import pytest

from db.records.jobs import UnitState
from tests.support.boards.books import digest
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.watching import await_units

BUILD = ("book", "build", "--board", "5x5", "--plies", "8", "--table-mb", "8")


@pytest.mark.servers
def test_killing_one_of_two_workers(c4: C4, broker_url: str, empty_url: str) -> None:
    """Two Celery workers on a broker; one is killed with -9 in the middle."""
    assert c4(*BUILD, "--threads", "1", "--out", "undisturbed").code == 0
    there = ("--db", empty_url, "--broker", broker_url)
    assert c4("--db", empty_url, "db", "init").code == 0
    worker = (*there, "worker", "--threads", "1", "--table-mb", "8")
    with (
        c4.start(*worker, "--name", "ada", warnings="default", stderr=subprocess.DEVNULL) as ada,
        c4.start(*worker, "--name", "bob", warnings="default", stderr=subprocess.DEVNULL) as bob,
    ):
        try:
            with c4.start(*there, *BUILD, "--out", "x.c4book") as build:
                await_units(empty_url, build, UnitState.DONE, 2)
                ada.kill()
                _, errors = build.communicate(timeout=2 * HANG_SECONDS)
            assert (build.returncode, "job 1 done" in errors) == (0, True)
        finally:
            ada.kill()
            bob.terminate()
    assert digest(c4.directory / "x.c4book") == digest(c4.directory / "undisturbed")
