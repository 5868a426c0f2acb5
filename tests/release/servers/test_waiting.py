"""Worker processes without their servers, or in a bad environment.

They wait, or report why waiting is useless.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from db.database import Database
from db.records.jobs import UnitState
from tests.support.boards.games import random_games
from tests.support.running.command_line import C4, ROOT
from tests.support.running.servers import PostgreSQLServer
from tests.support.running.service import Process, Service
from tests.support.running.waiting import HANG_SECONDS, await_that

NOWHERE = "127.0.0.1:1"


@contextmanager
def worker(directory: Path, database: str, broker: str) -> Iterator[Process]:
    command = ("-m", "cli", "-v", "worker", "--table-mb=1", "--threads=1")
    with Service(directory, database, broker).process(*command) as process:
        yield process


@pytest.mark.parametrize(("scheme", "number"), [("redis", signal.SIGTERM), ("amqp", signal.SIGINT)])
def test_a_worker_waits_for_an_unreachable_broker(
    tmp_path: Path, sqlite_path: Path, scheme: str, number: signal.Signals
) -> None:
    with worker(tmp_path, str(sqlite_path), f"{scheme}://:hunter2@{NOWHERE}") as process:
        await_that(lambda: "Cannot connect to " in process.log, process)
        assert process.stop(number) == 0
        assert "hunter2" not in process.log
        assert "Traceback" not in process.log


def test_a_worker_waits_for_an_unreachable_database(tmp_path: Path) -> None:
    url = f"postgresql://c4:hunter2@{NOWHERE}/c4"
    with worker(tmp_path, url, f"redis://{NOWHERE}") as process:
        await_that(lambda: "waiting for the database" in process.log, process)
        await_that(lambda: "Cannot connect to " in process.log, process)  # it handles signals
        assert process.stop() == 0
        assert "hunter2" not in process.log


@contextmanager
def resumed_and_watched(service: Service, lines: str) -> Iterator[tuple[Process, Process]]:
    """A command that works on a new job and one that watches it; both have begun."""
    job = service("analyze", "--detach", "--no-book", "-q", "-", stdin=lines).out.strip()
    resume = ("-m", "cli", "jobs", "resume", job, "--output", "out.jsonl")
    with (
        service.process(*resume) as working,
        service.process("-m", "cli", "jobs", "watch", job) as watching,
    ):
        await_that(lambda: service.job(int(job)).units[UnitState.LEASED], working)
        await_that(lambda: f"job {job} running" in watching.log, watching)
        yield working, watching


@pytest.mark.servers
def test_commands_wait_for_a_database_that_is_away(tmp_path: Path) -> None:
    games = random_games(800, empty=28)
    with PostgreSQLServer() as server:
        service = Service(tmp_path, server.url, "none")
        with resumed_and_watched(service, "\n".join(games)) as processes:
            server.stop(signal.SIGINT)
            for process in processes:
                await_that(lambda log=process: "; trying again for 30 s" in log.log, process)
            server.start()
            for process in processes:
                assert process.process.wait(HANG_SECONDS) == 0
                assert " is back\n" in process.log
        assert len((tmp_path / "out.jsonl").read_text().splitlines()) == len(games)


@pytest.mark.servers
def test_commands_say_how_to_go_on_after_an_outage(tmp_path: Path) -> None:
    with PostgreSQLServer() as server:
        service = Service(tmp_path, server.url, "none")
        with resumed_and_watched(service, '{"moves": ""}\n') as (working, watching):
            server.stop(signal.SIGINT)
            codes = [process.process.wait(HANG_SECONDS) for process in (working, watching)]
            assert codes == [3, 3]
            assert "continue with: c4 jobs resume 1 --output out.jsonl\n" in working.log
            assert "c4 jobs watch 1\n" in watching.log


def test_a_worker_does_not_wait_for_unusable_servers(c4: C4, sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database, database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'c4_9999'"))
    broker = f"--broker=redis://{NOWHERE}"
    refused = [
        ((f"--db={c4.directory}/no/such/c4.db",), 3, "there is no directory"),
        (("--db=mysql://db",), 2, "unknown database scheme"),
        ((f"--db={sqlite_path}",), 1, "c4_9999"),
    ]
    for options, code, message in refused:
        done = c4("worker", broker, "--table-mb=1", *options)
        assert done.code == code
        assert message in done.err.splitlines()[-1]
        assert "Traceback" not in done.err


Done = subprocess.CompletedProcess[str]

MEGABYTES = "table-mb is a whole number from 1 to 1,073,741,824"

WELL = {"C4_BROKER": "redis://127.0.0.1:1", "C4_DB": "c4.db"}

COMPLAINTS = [
    ({"C4_DB": ""}, "the environment variable C4_DB is not set"),
    ({"C4_BROKER": ""}, "the environment variable C4_BROKER is not set"),
    *(
        (
            {"C4_TABLE_MB": megabytes},
            f"the environment variable C4_TABLE_MB: {MEGABYTES}",
        )
        for megabytes in ("x", "0", "-1", "1e3", "9" * 5000)
    ),
    (
        {"C4_ALLOW_PROGRAMS": "yes"},
        "the environment variable C4_ALLOW_PROGRAMS is 0 or 1, not 'yes'",
    ),
]

BEGIN = """
import importlib, json, os, sys
from workers import app

for environment in json.load(sys.stdin):
    before = os.environ | {}
    os.environ.update(environment)
    app = importlib.reload(app)
    try:
        host = app._host()
    except ValueError as error:
        print(f"Error: {error}")
    else:
        print(app.app.conf.broker_url, host._database_url, host.settings.table_mb)
    os.environ.clear()
    os.environ.update(before)
"""
"""Read the settings of each environment; print the error, or what was found."""

CELERY = ["-m", "celery", "-A", "workers.app", "worker", "--pool=solo"]


def run(command: list[str], directory: Path, given: str = "", **environment: str) -> Done:
    return subprocess.run(
        [sys.executable, *command],
        input=given,
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | WELL | environment,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )


def test_an_unusable_environment_is_refused(tmp_path: Path) -> None:
    environment, complaint = COMPLAINTS[0]
    done = run(CELERY, tmp_path, **environment)
    assert done.stderr.splitlines()[-1] == f"Error: {complaint}"
    assert done.returncode == 1
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError('No module named numpy')")
    done = run(CELERY, tmp_path, PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    message = "No module named numpy. Install C4 where celery is installed: pip install -e ."
    assert (done.returncode, done.stderr) == (1, f"Error: {message}\n")


def test_environments(tmp_path: Path) -> None:
    environments = [environment for environment, _ in COMPLAINTS]
    environments.append({"C4_BROKER": "redis://queue:7", "C4_DB": "c4.db", "C4_TABLE_MB": "5"})
    done = run(["-c", BEGIN], tmp_path, json.dumps(environments))
    assert done.stdout.splitlines() == [
        *(f"Error: {complaint}" for _, complaint in COMPLAINTS),
        "redis://queue:7 c4.db 5",
    ], done.stderr
