"""Mixed load for ``C4_SOAK_SECONDS``: memory of every process, lost and doubled work.

``C4_SOAK_SECONDS=5400 C4_TEST_SERVERS=1 pytest -s tests/release/long/test_soak.py`` prints a line
every minute.
"""

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pytest

from db.database import Database
from db.jobs import watching
from db.records.jobs import JobState
from tests.release.faults.ledger import Ledger, done_twice
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
    """One round: five jobs of the workers, and meanwhile requests to the server."""
    games = random_games(LINES, empty=20, seed=number)
    (hard,) = random_games(1, empty=28, seed=number)
    book = ("--board", "5x4", "--plies", "6", "--fresh", "--force", "--output", "soak.c4book")
    commands = (
        ("analyze", "--no-book", "-"),
        ("solve", "--no-book", hard),
        ("deep", hard),
        ("book", "build", *book),
        ("match", "easy", "random", "--games", "10", "--seed", str(number)),
    )
    with ThreadPoolExecutor() as pool:
        running = [
            pool.submit(service, *command, "-q", stdin="\n".join(games)) for command in commands
        ]
        for game in random_games(20, empty=22, seed=number):
            assert server.ask(f"/solve?pos={game}").status == 200
        answers = [
            (line["moves"], line["score"]) for line in server.batch(list(map(str.encode, games)))
        ]
        assert server.ask("/api/v1/jobs").status == server.ask("/metrics").status == 200
        done = [each.result() for each in running]
    assert [each.code for each in done] == [0] * len(commands), [each.err for each in done]
    assert [moves for moves, _ in answers] == games
    assert [(line["moves"], line["score"]) for line in done[0].objects] == answers


@needs_proc
def test_mixed_load_loses_nothing_and_memory_stays_flat(
    tmp_path: Path, postgres_server: PostgresDatabases, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "131072")  # as in the image
    with postgres_server.database(initialised=True) as url, RedisServer() as broker:
        service, units = Service(tmp_path, url, broker.url), Ledger(url)
        settings = [f"--db={url}", f"--broker={broker.url}"]
        with (
            service.worker("--threads=1", name="ada") as ada,
            service.worker("--threads=1", name="bob") as bob,
            WebServer("--table-mb=8", "--rate=0", "--no-book", settings=settings) as server,
        ):
            pids = {"ada": ada.process.pid, "bob": bob.process.pid}
            pids |= {"server": server.pid, "Redis": broker.pid}
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
            command_mb = getrusage(RUSAGE_CHILDREN).ru_maxrss / 1000
            doubled = done_twice(units.changes())
            sys.stdout.write(
                f"{rounds} rounds, {2 * rounds * LINES} equal answers, lost 0, {units.units()}, "
                f"doubled {doubled}; growth in MB: {growth}; largest command {command_mb:.0f} MB\n"
            )
            assert max(growth.values()) < MOST_GROWTH_MB
            assert doubled == 0
            assert service("db", "check").code == 0
            with Database.open(url) as database, database.read() as session:
                totals = watching.totals(session)
            assert (totals.queued_units, totals.running_units, totals.failed_units) == (0, 0, 0)
            assert totals.jobs[JobState.DONE] == sum(totals.jobs.values())
            for worker in (ada, bob):
                assert worker.stop(signal.SIGTERM) == 0
            await_that(lambda: not service.workers())
