"""Worker processes without the servers that they need: they wait, or say why that is of no use."""

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from db.database import Database
from tests.support.running.service import Process, Service
from tests.support.running.waiting import AT_ONCE_SECONDS, WAIT_SECONDS, await_that

NOWHERE = "127.0.0.1:1"


@contextmanager
def worker(directory: Path, database: str, broker: str, *options: str) -> Iterator[Process]:
    command = ("-m", "cli", "-v", "worker", "--table-mb=1", "--threads=1", *options)
    with Service(directory, database, broker).process(*command) as process:
        yield process


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_broker_that_is_away_is_waited_for(
    tmp_path: Path, sqlite_path: Path, scheme: str, number: signal.Signals
) -> None:
    with worker(tmp_path, str(sqlite_path), f"{scheme}://:hunter2@{NOWHERE}") as process:
        await_that(lambda: "cannot be reached, trying again" in process.log, process)
        began = time.monotonic()
        process.process.send_signal(number)
        assert process.process.wait(WAIT_SECONDS) == 0
        assert time.monotonic() - began < AT_ONCE_SECONDS
        assert f"{number.name}: handing back" in process.log
        assert "hunter2" not in process.log
        assert "Traceback" not in process.log


def test_a_database_that_is_away_is_waited_for(tmp_path: Path) -> None:
    url = f"postgresql://c4:hunter2@{NOWHERE}/c4"
    with worker(tmp_path, url, f"redis://{NOWHERE}") as process:
        await_that(lambda: "waiting for the database" in process.log, process)
        process.stop()
        assert process.process.returncode == 0
        assert "hunter2" not in process.log


def test_a_second_signal_ends_it_at_once(tmp_path: Path, sqlite_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # A broker that takes connections and never answers: to stop takes the worker seconds.
        broker = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        with worker(tmp_path, str(sqlite_path), broker) as process:
            silent.settimeout(WAIT_SECONDS)
            with silent.accept()[0]:
                process.process.send_signal(signal.SIGINT)
                await_that(lambda: "SIGINT: handing back" in process.log, process)
                process.process.send_signal(signal.SIGTERM)
                assert process.process.wait(WAIT_SECONDS) == 128 + signal.SIGTERM


def fails(directory: Path, database: str, *options: str) -> tuple[int, str]:
    """The exit code and what is said last."""
    with worker(directory, database, f"redis://{NOWHERE}", *options) as process:
        code = process.process.wait(WAIT_SECONDS)
        assert "Traceback" not in process.log
        return code, process.log.splitlines()[-1]


def test_a_database_that_can_never_be_used(tmp_path: Path, sqlite_path: Path) -> None:
    code, said = fails(tmp_path, str(tmp_path / "no" / "such" / "c4.db"))
    assert code == 3
    assert "there is no directory" in said
    code, said = fails(tmp_path, "mysql://db")
    assert code == 2
    assert "unknown database scheme" in said
    with Database.open(str(sqlite_path)) as database, database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'c4_9999'"))
    code, said = fails(tmp_path, str(sqlite_path))
    assert code == 1
    assert "c4_9999" in said


def test_metrics_that_cannot_be_told(tmp_path: Path, sqlite_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, said = fails(tmp_path, str(sqlite_path), f"--metrics-port=127.0.0.1:{port}")
    assert code == 2
    assert said == f"Error: cannot listen on port {port}: Address already in use"
    code, said = fails(tmp_path, str(sqlite_path), f"--metrics-file={tmp_path}/no/file")
    assert code == 2
    assert "cannot write" in said
