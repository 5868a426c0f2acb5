"""A certificate has the same bytes for any number of processes, kills and interruptions."""

from __future__ import annotations

import json
import signal
from functools import partial
from typing import TYPE_CHECKING

from c4core.proof import making
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.records.jobs import UnitState
from tests.support.boards.books import digest
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.watching import await_units, held_back, units, working
from workers.core.run import UnitEnd, run_unit

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from db.records.jobs import Claim
    from tests.support.running.command_line import C4

PROVE = ("prove", "", "--board", "6x5", "--at-most", "0", "--table-mb", "8")


def prove_trunk(url: str) -> None:
    """Claim the first unit of job 1 as soon as it has no lease, and prove it."""
    claims: list[Claim] = []
    with Database.open(url) as database:
        take = partial(
            jobs.claim, owner="ada", lease_seconds=600, engine_version=ENGINE_VERSION, job_id=1
        )

        def has_taken() -> bool:
            claims.extend(claim for claim in [database.run(take)] if claim)
            return bool(claims)

        await_that(has_taken, seconds=HANG_SECONDS)
        done = run_unit(database, Solver(table_mb=8), claims[0], lambda: False)
    assert done.end is UnitEnd.DONE


def test_a_killed_proof_is_resumed(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    # Even this small proof is split into parts.
    monkeypatch.setattr(making, "SMALL_NODES", 0)
    monkeypatch.setattr(making, "FRONTIER", 100)
    assert c4("--db", "other.db", *PROVE, "--threads", "1", "--out", "undisturbed").code == 0
    assert c4(*PROVE, "--detach").out == "1\n"
    url = c4.environment["C4_DB"]
    with working(url, 1, searches=0) as process:  # it holds the trunk and waits
        await_units(url, process, UnitState.LEASED, 1)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert units(url)[UnitState.DONE] == 0
    prove_trunk(url)
    with held_back(url, 1, free=6), working(url, 1) as process:
        await_units(url, process, UnitState.DONE, 3)
        process.kill()
    assert units(url)[UnitState.DONE] < sum(units(url).values())
    last = c4(*PROVE, "--out", "x.c4proof")
    assert (last.code, "job 1 done" in last.err) == (0, True)
    assert digest(c4.directory / "x.c4proof") == digest(c4.directory / "undisturbed")


def test_a_proof_is_interrupted_and_cancelled(c4: C4, interrupt: Callable[..., str]) -> None:
    assert c4("db", "init").code == 0
    url = c4.environment["C4_DB"]
    # A board that cannot be solved during a test.
    endless = ("prove", "", "--board", "9x6", "--at-most", "0", "--table-mb", "8")
    errors = interrupt(c4, *endless, "--out", "no.c4proof")
    assert "Give the same command again to go on and write the certificate." in errors
    assert units(url)[UnitState.LEASED] == 0
    assert not (c4.directory / "no.c4proof").exists()
    assert c4("jobs", "cancel", "1").code == 0
    assert "cancelled" in c4("jobs", "show", "1").out


def test_a_detached_proof_is_resumed_and_written_by_its_number(c4: C4) -> None:
    command = ("prove", "", "--board", "5x4")
    detached = c4(*command, "--detach")
    assert (detached.code, detached.out) == (0, "1\n")
    assert "Work on it with: c4 jobs resume 1" in detached.err
    early = c4("certificate", "write", "1", "--out", "x.c4proof")
    assert (early.code, early.err) == (1, "Error: job 1 is running: it has to be done first\n")
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
    assert c4("analyze", "--detach", "-", stdin="4453\n").out == "3\n"
    other = c4("certificate", "write", "3", "--out", "w.c4proof")
    assert (other.code, "job 3 is of kind analyze" in other.err) == (1, True)
