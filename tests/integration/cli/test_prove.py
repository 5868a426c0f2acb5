"""``c4 prove`` as a job: interrupted, cancelled, detached, resumed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from db.records.jobs import UnitState
from tests.support.running.watching import units

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.running.command_line import C4


def test_a_proof_is_interrupted_and_cancelled(c4: C4, interrupt: Callable[..., str]) -> None:
    assert c4("db", "init").code == 0
    url = c4.environment["C4_DB"]
    # A board that cannot be solved during a test.
    endless = ("prove", "", "--board", "9x6", "--at-most", "0", "--table-mb", "8")
    errors = interrupt(c4, *endless, "--output", "no.c4proof")
    assert "Give the same command again to continue and write the certificate." in errors
    assert units(url)[UnitState.LEASED] == 0
    assert not (c4.directory / "no.c4proof").exists()
    assert c4("jobs", "cancel", "1").code == 0
    assert "cancelled" in c4("jobs", "show", "1").out


def test_a_detached_proof_is_resumed_and_written_by_the_same_command(c4: C4) -> None:
    command = ("prove", "", "--board", "5x4")
    detached = c4(*command, "--detach")
    assert (detached.code, detached.out) == (0, "1\n")
    assert "Work on it with: c4 jobs resume 1" in detached.err
    resumed = c4("jobs", "resume", "1", "--output", "-")
    assert resumed.code == 0
    stages = [found["stage"] for found in resumed.objects]
    assert stages == ["score", "trunk", "trunk"]
    again = c4("-v", *command, "--output", "y.c4proof")
    assert (again.code, "job 1 was done before" in again.err) == (0, True)
    refused = c4(*command, "--output", "y.c4proof")
    assert (refused.code, "exists already" in refused.err) == (2, True)
    fresh = c4(*command, "--fresh", "--output", "z.c4proof", "--json")
    assert json.loads(fresh.out)["job"] == 2
    files = [(c4.directory / name).read_bytes() for name in ("y.c4proof", "z.c4proof")]
    assert files[0] == files[1]
