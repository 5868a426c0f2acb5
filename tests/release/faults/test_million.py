"""A million positions: claimable within seconds, in constant memory."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.release.faults.system import ROOT, System
from tests.support.boards.games import random_games
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import Server
from tests.support.running.servers import RedisServer

pytestmark = [pytest.mark.servers, pytest.mark.faults]

POSITIONS = 1_000_000
DIFFERENT = 20_000
FEW = 10_000
MEGABYTE = 1024  # in the kilobytes that Linux reports

ENQUEUE_SECONDS = 60.0
RESUME_SECONDS = 6.0
"""Usually 2 to 3 s, most of it the start of the program. Both limits are processor time."""
THREADS = 2


@pytest.mark.parametrize("broker_server", [RedisServer], indirect=True, ids=["redis"])
def test_a_million_positions(
    databases: PostgresDatabases, broker: Server, tmp_path: Path, say: Callable[[str], None]
) -> None:
    games = random_games(DIFFERENT, empty=8)
    with (
        databases.database(initialised=True) as url,
        System(url, broker.url, tmp_path, worker_environments=()) as system,
    ):
        _job, few, _seconds = _submit(system, games[:FEW])
        job_id, peak, seconds = _submit(system, islice(cycle(games), POSITIONS))
        say(f"a million positions submitted in {seconds:.1f} s, peak memory {peak // MEGABYTE} MB")
        assert seconds < ENQUEUE_SECONDS
        assert peak - few < 30 * MEGABYTE

        begin = time.monotonic()
        for _ in range(THREADS):
            system.start_worker({})
        system.wait_until(
            lambda: system.ledger.job_state(job_id) == "done", "the million is done", seconds=300
        )
        say(f"done in {time.monotonic() - begin:.1f} s")

        before = system.ledger.changes()
        begin = os.times()
        system.command("jobs", "resume", str(job_id))
        end = os.times()
        seconds = end.children_user + end.children_system
        seconds -= begin.children_user + begin.children_system
        say(f"resumed in {seconds:.2f} s")
        assert seconds < RESUME_SECONDS
        assert system.ledger.changes() == before  # nothing was claimed


def _submit(system: System, games: Iterable[str]) -> tuple[int, int, float]:
    """Submit a job in its own process; return its number and the process's peak memory and time."""
    batch = system.directory / "batch"
    with batch.open("w") as file:
        file.writelines(f"{moves}\n" for moves in games)
    with subprocess.Popen(
        [sys.executable, "-m", "cli", "analyze", "--score-only", "--detach", str(batch)],
        cwd=ROOT,
        env=system.service.environment,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        job_id = int(process.stdout.read())
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return job_id, usage.ru_maxrss, usage.ru_utime + usage.ru_stime
