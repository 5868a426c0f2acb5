"""Jobs whose process is really killed or interrupted: nothing is lost or duplicated."""

import json
import signal
import subprocess
from pathlib import Path

from db.database import Database
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.kills import check_analysis, plan_analysis
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.watching import (
    await_units,
    end_leases,
    held_back,
    kill_at_work,
    units,
    working,
)
from workers.runners.local import LocalRunner

GAMES = random_games(200, empty=16)
HARD = [f"{first}{second}" for first in "123" for second in "1234567"]
LEASE = 3600
"""Seconds; no lease expires unless a test ends it."""


def moves_finished_here(url: str, job_id: int) -> list[object]:
    """Complete a job in this process; return the moves of its results."""
    with (
        Database.open(url) as database,
        LocalRunner(database, job_id, threads=2, table_mb=1) as runner,
    ):
        return [shown["moves"] for shown in runner.results()]


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


def test_an_interrupt_leaves_an_orderly_job(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    job_id = plan_analysis(url, HARD)
    with working(url, job_id, lease=LEASE) as process:
        await_units(url, process, UnitState.LEASED, 2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, errors) == (130, "")
    # No process has to wait for the leases, which were long.
    states = units(url, job_id)
    assert states[UnitState.QUEUED] == sum(states.values())


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
    assert moves_finished_here(url, job_id) == GAMES


def test_a_closed_pipe_leaves_a_job_that_can_be_resumed(sqlite_path: Path) -> None:
    url = str(sqlite_path)
    job_id = plan_analysis(url, GAMES)
    with working(url, job_id, lease=LEASE, output=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        process.wait(timeout=HANG_SECONDS)
    assert units(url, job_id)[UnitState.LEASED] == 0
    assert moves_finished_here(url, job_id) == GAMES
