"""Sessions and their connections: streams, and servers that close connections."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from functools import partial

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from db import engine
from db.database import Database
from db.errors import UnreachableError
from db.evaluations import count, find, store, stream
from db.jobs.control import lock_job
from db.jobs.queue import requeue_expired
from db.records.evaluations import EvaluationFilter
from db.records.jobs import JobState
from tests.support.jobs import finish, must_take, state_of
from tests.support.running.databases import BOARD, do, make_job, on_postgresql, row
from tests.support.running.waiting import HANG_SECONDS, await_that

EVERYTHING = EvaluationFilter(board=BOARD)
HANG_UP = text(
    "SELECT pg_terminate_backend(pid, 120000) FROM pg_stat_activity "  # waits until they have ended
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def test_streams_of_a_session_do_not_disturb_each_other(database: Database) -> None:
    do(database, store, BOARD, [row(key) for key in range(5_000)])
    with database.read() as session:
        first, second = (stream(session, EVERYTHING) for _ in range(2))
        assert all(a == b for a, b in zip(first, second, strict=True))
        broken_off = stream(session, EVERYTHING)
        next(broken_off)
        broken_off.close()
        assert count(session, EVERYTHING) == 5_000


@pytest.fixture
def hang_up(rows_url: str) -> Iterator[Callable[[], None]]:
    """Ends all other connections to the server's database, as a restart does."""
    with Database.open(rows_url) as other:

        def hang_up() -> None:
            with other.write() as session:
                session.execute(HANG_UP)

        hang_up()  # so that its own connection exists
        yield hang_up


@on_postgresql
@pytest.mark.parametrize("sessions", [Database.read, Database.write])
def test_a_cut_connection_is_an_error_in_use_and_is_replaced(
    database: Database,
    hang_up: Callable[[], None],
    sessions: Callable[[Database], AbstractContextManager[Session]],
) -> None:
    do(database, store, BOARD, [row(key) for key in range(5_000)])

    def process() -> int:
        with sessions(database) as session:
            find(session, BOARD, 1)
            return session.scalar(text("SELECT pg_backend_pid()"))

    for _ in range(3):
        before = process()
        assert process() == before
        hang_up()  # while the connection is idle
        assert process() != before

    def find_twice(session: Session) -> None:
        find(session, BOARD, 1)
        hang_up()
        find(session, BOARD, 1)

    def read_all(session: Session) -> None:
        for number, _ in enumerate(stream(session, EVERYTHING)):
            if number == 0:
                hang_up()

    for use in (find_twice, find_twice, read_all):
        with pytest.raises(UnreachableError), sessions(database) as session:
            use(session)
    with sessions(database) as session:
        assert count(session, EVERYTHING) == 5_000


@pytest.fixture
def impatient(rows_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A database whose server soon ends idle transactions."""
    soon = engine._BEGIN_POSTGRESQL[True].replace("30s", "2s")
    assert soon != engine._BEGIN_POSTGRESQL[True]
    monkeypatch.setitem(engine._BEGIN_POSTGRESQL, True, soon)
    with Database.open(rows_url) as database:
        yield database


@on_postgresql
def test_an_idle_writer_does_not_block_others(impatient: Database, database: Database) -> None:
    """A reader is idle for longer than the writer, and continues."""
    job_id = make_job(database, 1)
    do(database, store, BOARD, [row(key) for key in range(5_000)])
    lock = partial(lock_job, job_id=job_id)

    def stand_still(others: ThreadPoolExecutor) -> None:
        with impatient.write() as session:
            lock(session)
            assert others.submit(database.run, lock).result(HANG_SECONDS) is JobState.RUNNING
            lock(session)

    with impatient.read() as reader, ThreadPoolExecutor(1) as others:
        rows = stream(reader, EVERYTHING)
        next(rows)
        with pytest.raises(UnreachableError, match="idle-in-transaction timeout"):
            stand_still(others)
        assert sum(1 for _ in rows) == 4_999
    assert database.run(lock) is JobState.RUNNING


@pytest.fixture
def freeze(
    rows_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Callable[[Database], object]], None]]:
    """Start work in a thread, with its own connections, that hangs within COPY until the end."""
    frozen, thaw = threading.Event(), threading.Event()
    write_row = psycopg.Copy.write_row

    def stand_still(copy: psycopg.Copy, row: Sequence[object]) -> None:
        frozen.set()
        assert thaw.wait(HANG_SECONDS)
        write_row(copy, row)

    monkeypatch.setattr(psycopg.Copy, "write_row", stand_still)
    with (
        Database.open(rows_url) as other,
        ThreadPoolExecutor(1) as others,
        suppress(UnreachableError),
    ):

        def begin(work: Callable[[Database], object]) -> None:
            tasks.append(others.submit(work, other))
            assert frozen.wait(HANG_SECONDS)

        tasks: list[Future[object]] = []
        yield begin
        thaw.set()
        for task in tasks:
            task.result(HANG_SECONDS)


@on_postgresql
def test_a_writer_frozen_while_sending_rows_holds_no_unit(
    database: Database, freeze: Callable[[Callable[[Database], object]], None]
) -> None:
    job_id = make_job(database, 1)
    taken = must_take(database, lease_seconds=0.001)
    freeze(lambda other: finish(other, taken, evaluations=[row(key) for key in range(3_000)]))
    await_that(lambda: database.run(requeue_expired) == 1)
    assert finish(database, must_take(database))
    assert state_of(database, job_id) is JobState.DONE
