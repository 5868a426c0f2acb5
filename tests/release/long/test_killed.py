"""Jobs whose process is really killed or interrupted: nothing is lost or duplicated."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from c4core.batch import BOUND
from c4core.position import Position
from c4core.proof import making
from c4core.solver import Solver
from db import jobs
from db.database import Database
from db.records.jobs import Claim, UnitState
from tests.support.boards.books import digest
from tests.support.boards.games import random_games
from tests.support.boards.matches import run_job
from tests.support.jobs import of_job, take
from tests.support.kills import check_analysis, check_proof, plan_analysis
from tests.support.running.command_line import C4
from tests.support.running.databases import ask
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.watching import (
    await_units,
    end_leases,
    held_back,
    kill_at_work,
    units,
    working,
)
from workers.core.run import UnitEnd, run_unit
from workers.deep.job import submit
from workers.deep.sharing import LEAST_NODES, Exchange
from workers.deep.task import DeepTask

GAMES = random_games(200, empty=16)
LEASE = 3600
"""Seconds; no lease expires unless a test ends it."""


def finished_here(url: str, job_id: int) -> list[dict[str, object]]:
    """Complete a job in this process; return its results."""
    with Database.open(url) as database:
        return run_job(database, job_id, threads=2)


def test_killing_a_process_loses_nothing(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    job_id = plan_analysis(url, GAMES)
    with working(url, job_id, lease=LEASE, searches=2) as victim:
        await_units(url, victim, UnitState.DONE, 2)
        await_units(url, victim, UnitState.LEASED, 2)  # one for each thread, until the victim dies
        with working(url, job_id, lease=LEASE, output=subprocess.PIPE) as survivor:
            await_units(url, survivor, UnitState.DONE, 3)
            kill_at_work(url, victim)
            end_leases(url, victim)
            output, errors = survivor.communicate(timeout=HANG_SECONDS)
    assert (survivor.returncode, errors) == (0, "")
    check_analysis(url, job_id, GAMES, [json.loads(line) for line in output.splitlines()])


def test_an_immediate_second_interrupt_is_harmless(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    job_id = plan_analysis(url, GAMES)
    with held_back(url, job_id, free=6), working(url, job_id, lease=LEASE) as process:
        await_units(url, process, UnitState.DONE, 1)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=HANG_SECONDS)
    assert process.returncode == 130
    end_leases(url, process)
    assert [shown["moves"] for shown in finished_here(url, job_id)] == GAMES


TASK = DeepTask(Position(width=6, height=5), "", split_plies=3, unit_nodes=5_000)
"""Has 112 pieces."""
ENDLESS = DeepTask(Position(width=8, height=7), "", split_plies=0, unit_nodes=10**15)
"""Has one piece that cannot be solved during a test."""


def test_killing_a_process_of_a_deep_job_loses_nothing(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    with Database.open(url) as database:
        job_id = submit(database, TASK, threads=2)
    with working(url, job_id, lease=LEASE, searches=6) as process:
        await_that(lambda: units(url, job_id)[UnitState.DONE] >= 2, process)
        kill_at_work(url, process)
        end_leases(url, process)
    assert units(url, job_id)[UnitState.DONE] <= 6
    finished_here(url, job_id)
    check_proof(url, job_id, TASK.start)


def test_bounds_shared_by_a_killed_process_help_the_next(sqlite_path: Path) -> None:
    """The most expensive bounds of a killed search are in the database."""
    url, start = str(sqlite_path), ENDLESS.start
    with Database.open(url) as database:
        job_id = submit(database, ENDLESS)
        with working(url, job_id, lease=LEASE) as process:
            # On a busy machine the first exchange happens before there is much to share.
            await_that(lambda: shared_bounds(database, job_id) > 100, process)
            process.kill()
        assert units(url, job_id)[UnitState.DONE] == 0
        solver = Solver(table_mb=16)
        Exchange(database, job_id, start.board).take_turn(solver)
    shared = solver.table_bounds(width=start.width, height=start.height, least_nodes=LEAST_NODES)
    assert len(shared) > 10
    judge = Solver(table_mb=16)
    for bound in shared[:: len(shared) // 10]:
        position = Position.from_key(int(bound["key"]), width=start.width, height=start.height)
        beta = int(bound["score"]) + (1 if bound["is_upper"] else 0)
        assert (judge.test(position, beta).lower >= beta) is not bool(bound["is_upper"])


def shared_bounds(database: Database, job_id: int) -> int:
    """The number of bounds that the processes have sent."""
    parcels = ask(database, jobs.new_parcels, job_id, {})
    return sum(len(parcel.bounds) for parcel in parcels) // BOUND.itemsize


PROVE = ("prove", "", "--board", "6x5", "--at-most", "0", "--table-mb", "8")


def prove_trunk(url: str) -> None:
    """Claim the first unit of job 1 as soon as it has no lease, and prove it."""
    claims: list[Claim] = []
    with Database.open(url) as database:

        def has_taken() -> bool:
            claim = take(database, of_job(1), lease_seconds=600)
            claims.extend([claim] if claim else [])
            return bool(claims)

        await_that(has_taken, seconds=HANG_SECONDS)
        done = run_unit(database, Solver(table_mb=8), claims[0], lambda: False)
    assert done.end is UnitEnd.DONE


def test_a_killed_proof_has_the_same_bytes(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    # Even this small proof is split into parts.
    monkeypatch.setattr(making, "SMALL_NODES", 0)
    monkeypatch.setattr(making, "FRONTIER", 100)
    assert c4("--db", "other.db", *PROVE, "--threads", "1", "--output", "undisturbed").code == 0
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
    last = c4(*PROVE, "--output", "x.c4proof")
    assert (last.code, "job 1 done" in last.err) == (0, True)
    assert digest(c4.directory / "x.c4proof") == digest(c4.directory / "undisturbed")
