"""Worker processes without their servers: they wait, or report why waiting is useless."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from db.database import Database
from tests.support.running.command_line import C4
from tests.support.running.command_process import ready
from tests.support.running.service import Process, Service
from tests.support.running.waiting import HANG_SECONDS, await_that

NOWHERE = "127.0.0.1:1"
PATIENT = """
from cli.main import main
from workers.celery import service
service.STOP_SECONDS = 3600.0
main()
"""
"""A ``c4`` that keeps waiting for a server when it is asked to stop."""


@contextmanager
def worker(directory: Path, database: str, broker: str) -> Iterator[Process]:
    command = ("-c", PATIENT, "-v", "worker", "--table-mb=1", "--threads=1")
    with Service(directory, database, broker).process(*command) as process:
        yield process


@pytest.mark.parametrize(
    ("scheme", "number"),
    [("redis", signal.SIGTERM), ("amqp", signal.SIGINT), ("redis", signal.SIGHUP)],
)
def test_a_worker_waits_for_an_unreachable_broker(
    tmp_path: Path, sqlite_path: Path, scheme: str, number: signal.Signals
) -> None:
    with worker(tmp_path, str(sqlite_path), f"{scheme}://:hunter2@{NOWHERE}") as process:
        await_that(lambda: "cannot be reached, trying again" in process.log, process)
        assert process.stop(number) == 0
        assert f"{number.name}: handing back" in process.log
        assert "hunter2" not in process.log
        assert "Traceback" not in process.log


def test_a_worker_waits_for_an_unreachable_database(tmp_path: Path) -> None:
    url = f"postgresql://c4:hunter2@{NOWHERE}/c4"
    with worker(tmp_path, url, f"redis://{NOWHERE}") as process:
        await_that(lambda: "waiting for the database" in process.log, process)
        assert process.stop() == 0
        assert "hunter2" not in process.log


def test_a_second_signal_ends_it_at_once(tmp_path: Path, sqlite_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # A broker that accepts connections and never answers: the worker does not stop by itself.
        broker = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        with worker(tmp_path, str(sqlite_path), broker) as process:
            silent.settimeout(HANG_SECONDS)
            with silent.accept()[0]:
                process.process.send_signal(signal.SIGINT)
                await_that(lambda: "SIGINT: handing back" in process.log, process)
                assert process.stop(signal.SIGTERM) == 128 + signal.SIGTERM


def test_a_worker_does_not_wait_for_unusable_servers(c4: C4, sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database, database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'c4_9999'"))
    broker = f"--broker=redis://{NOWHERE}"
    refused = [
        ((f"--db={c4.directory}/no/such/c4.db",), 3, "there is no directory"),
        (("--db=mysql://db",), 2, "unknown database scheme"),
        ((f"--db={sqlite_path}",), 1, "c4_9999"),
        ((f"--metrics-file={c4.directory}/no/file",), 2, "cannot write"),
    ]
    said = c4.directory / "said"
    with said.open("w") as errors, ready(c4, errors.fileno()) as process:
        for options, code, message in refused:
            process.begin("worker", broker, "--table-mb=1", *options)
            assert process.code() == code
            assert message in said.read_text().splitlines()[-1]
    assert "Traceback" not in said.read_text()
