"""Mixed load for as long as ``C4_SOAK_SECONDS`` says: memory of every process, lost answers.

``C4_SOAK_SECONDS=5400 C4_TEST_SERVERS=1 pytest -s tests/release/long/test_soak.py`` prints a line
every minute.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from db.database import Database
from db.jobs import watching
from db.records.jobs import JobState
from tests.support.boards.games import random_games
from tests.support.running.databases import PostgresDatabases
from tests.support.running.servers import RedisServer
from tests.support.running.service import Service
from tests.support.running.waiting import await_that, needs_proc
from tests.support.running.web_server import WebServer

pytestmark = pytest.mark.servers

SECONDS = float(os.environ.get("C4_SOAK_SECONDS", "60"))
SHOWN_SECONDS = 60.0
MOST_GROWTH_MB = 40.0
"""Limit for the growth of a process after the first rounds."""
WARM_ROUNDS = 3
LINES = 100


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def load(service: Service, server: WebServer, number: int) -> None:
    """One round: a batch by the workers, searches of the server, a match, a list of jobs."""
    games = random_games(LINES, empty=20, seed=number)
    done = service("analyze", "-q", "--no-book", "-", stdin="\n".join(games))
    assert done.code == 0, done.err
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [answer["moves"] for answer in answers] == games
    for game in random_games(20, empty=22, seed=number):
        assert server.ask(f"/solve?pos={game}").status == 200
    body = "".join(f"{game}\n" for game in games).encode()
    batch = server.ask("/api/v1/batch", method="POST", body=body)
    assert len(batch.body.splitlines()) == LINES
    match = service("match", "-q", "easy", "random", "--games", "10", "--seed", str(number))
    assert match.code == 0, match.err
    assert server.ask("/api/v1/jobs").status == server.ask("/metrics").status == 200


@needs_proc
def test_mixed_load_loses_nothing_and_memory_stays_flat(
    tmp_path: Path, postgres_server: PostgresDatabases
) -> None:
    with postgres_server.database(initialised=True) as url, RedisServer() as broker:
        service = Service(tmp_path, url, broker.url)
        settings = [f"--db={url}", f"--broker={broker.url}"]
        with (
            service.worker("--threads=1", name="ada") as ada,
            service.worker("--threads=1", name="bob") as bob,
            WebServer("--table-mb=8", "--rate=0", "--no-book", settings=settings) as server,
        ):
            pids = {"ada": ada.process.pid, "bob": bob.process.pid, "server": server.pid}
            warm: dict[str, float] = {}
            began, shown, rounds = time.monotonic(), 0.0, 0
            while rounds <= WARM_ROUNDS or time.monotonic() < began + SECONDS:
                load(service, server, rounds)
                rounds += 1
                sizes = {name: resident_mb(pid) for name, pid in pids.items()}
                warm = sizes if rounds <= WARM_ROUNDS else warm
                if time.monotonic() > shown + SHOWN_SECONDS:
                    shown = time.monotonic()
                    words = ", ".join(f"{name} {size:.0f} MB" for name, size in sizes.items())
                    sys.stdout.write(f"{shown - began:6.0f} s, {rounds} rounds: {words}\n")
            growth = {name: round(sizes[name] - warm[name], 1) for name in pids}
            sys.stdout.write(
                f"{rounds} rounds, {2 * rounds * LINES} answers, lost 0; growth in MB: {growth}\n"
            )
            assert max(growth.values()) < MOST_GROWTH_MB
            with Database.open(url) as database, database.read() as session:
                totals = watching.totals(session)
            assert (totals.queued_units, totals.running_units, totals.failed_units) == (0, 0, 0)
            assert totals.jobs[JobState.DONE] == sum(totals.jobs.values())
            for worker in (ada, bob):
                assert worker.stop(signal.SIGTERM) == 0
            await_that(lambda: not service.workers())
