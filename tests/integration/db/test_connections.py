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
from db.jobs import claiming, hold_job, requeue_lapsed
from db.jobs.state import lock_job
from db.records.evaluations import EvaluationFilter
from db.records.jobs import JobState
from tests.support.jobs import finish, must_take, state_of
from tests.support.running.databases import BOARD, clear, do, make_job, row
from tests.support.running.waiting import HANG_SECONDS, await_that

EVERYTHING = EvaluationFilter(board=BOARD)
HANG_UP = text(
    "SELECT pg_terminate_backend(pid, 120000) FROM pg_stat_activity "  # waits until they have ended
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
PROCESS = text("SELECT pg_backend_pid()")

Sessions = Callable[[Database], AbstractContextManager[Session]]
SESSIONS: list[Sessions] = [Database.read, Database.write]


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
def served(postgres_url: str) -> Iterator[Database]:
    """A database whose connections can be cut off by another one."""
    with Database.open(postgres_url) as database:
        clear(database)
        yield database


@pytest.fixture
def hang_up(postgres_url: str) -> Iterator[Callable[[], None]]:
    """Ends all other connections to the server's database, as a restart does."""
    with Database.open(postgres_url) as other:

        def hang_up() -> None:
            with other.write() as session:
                session.execute(HANG_UP)

        hang_up()  # so that its own connection exists
        yield hang_up


@pytest.mark.postgres
@pytest.mark.parametrize("sessions", SESSIONS, ids=lambda sessions: sessions.__name__)
class TestHangUp:
    def test_a_connection_cut_while_idle_is_replaced(
        self, served: Database, hang_up: Callable[[], None], sessions: Sessions
    ) -> None:
        for _ in range(3):
            with sessions(served) as session:
                find(session, BOARD, 1)
                before = session.scalar(PROCESS)
            with sessions(served) as session:
                assert session.scalar(PROCESS) == before
            hang_up()
            with sessions(served) as session:
                find(session, BOARD, 1)
                assert session.scalar(PROCESS) != before

    def test_a_connection_cut_in_use_is_an_error_and_the_next_is_new(
        self, served: Database, hang_up: Callable[[], None], sessions: Sessions
    ) -> None:
        def use() -> None:
            with sessions(served) as session:
                find(session, BOARD, 1)
                hang_up()
                find(session, BOARD, 1)

        for _ in range(2):
            with pytest.raises(UnreachableError):
                use()
        with sessions(served) as session:
            find(session, BOARD, 1)


@pytest.mark.postgres
@pytest.mark.parametrize("sessions", SESSIONS)
def test_a_stream_may_be_cut(
    served: Database, hang_up: Callable[[], None], sessions: Sessions
) -> None:
    do(served, store, BOARD, [row(key) for key in range(5_000)])

    def use() -> None:
        with sessions(served) as session:
            for number, _ in enumerate(stream(session, EVERYTHING)):
                if number == 0:
                    hang_up()

    with pytest.raises(UnreachableError):
        use()
    with sessions(served) as session:
        assert count(session, EVERYTHING) == 5_000


@pytest.fixture
def impatient(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A database whose server soon ends idle transactions."""
    soon = engine._BEGIN_POSTGRESQL[True].replace("30s", "300ms")
    assert soon != engine._BEGIN_POSTGRESQL[True]
    monkeypatch.setitem(engine._BEGIN_POSTGRESQL, True, soon)
    with Database.open(postgres_url) as database:
        yield database


@pytest.mark.postgres
def test_an_idle_writer_does_not_block_others(impatient: Database, served: Database) -> None:
    """A reader is idle for longer than the writer, and continues."""
    job_id = make_job(served, 1)
    do(served, store, BOARD, [row(key) for key in range(5_000)])
    lock = partial(lock_job, job_id=job_id)

    def stand_still(others: ThreadPoolExecutor) -> None:
        with impatient.write() as session:
            lock(session)
            assert others.submit(served.run, lock).result(HANG_SECONDS) is JobState.RUNNING
            lock(session)

    with impatient.read() as reader, ThreadPoolExecutor(1) as others:
        rows = stream(reader, EVERYTHING)
        next(rows)
        with pytest.raises(UnreachableError, match="idle-in-transaction timeout"):
            stand_still(others)
        assert sum(1 for _ in rows) == 4_999
    assert served.run(lock) is JobState.RUNNING


@pytest.fixture
def other(postgres_url: str) -> Iterator[Database]:
    """The same database, for a process that is frozen."""
    with Database.open(postgres_url) as database:
        yield database


@pytest.fixture
def freeze(
    other: Database, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Callable[[Database], object]], None]]:
    """Start work in a thread that hangs within its COPY until the end of the test."""
    frozen, thaw = threading.Event(), threading.Event()
    write_row = psycopg.Copy.write_row

    def stand_still(copy: psycopg.Copy, row: Sequence[object]) -> None:
        frozen.set()
        assert thaw.wait(HANG_SECONDS)
        write_row(copy, row)

    monkeypatch.setattr(psycopg.Copy, "write_row", stand_still)
    with ThreadPoolExecutor(1) as others, suppress(UnreachableError):

        def begin(work: Callable[[Database], object]) -> None:
            tasks.append(others.submit(work, other))
            assert frozen.wait(HANG_SECONDS)

        tasks: list[Future[object]] = []
        yield begin
        thaw.set()
        for task in tasks:
            task.result(HANG_SECONDS)


@pytest.mark.postgres
def test_a_writer_frozen_while_sending_rows_holds_no_unit(
    served: Database, freeze: Callable[[Callable[[Database], object]], None]
) -> None:
    job_id = make_job(served, 1)
    taken = must_take(served, lease_seconds=0.001)
    freeze(lambda other: finish(other, taken, evaluations=[row(key) for key in range(100)]))
    await_that(lambda: served.run(requeue_lapsed) == 1)
    assert finish(served, must_take(served))
    assert state_of(served, job_id) is JobState.DONE


@pytest.mark.postgres
def test_the_transaction_of_a_frozen_client_with_a_locked_unit_is_ended(
    served: Database,
    freeze: Callable[[Callable[[Database], object]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This happens to a planner that stores evaluations while it has locked its job and units."""
    monkeypatch.setattr(claiming, "FROZEN_SECONDS", 0.1)
    job_id = make_job(served, 1)
    must_take(served, lease_seconds=0.001)

    def plan(session: Session) -> None:
        hold_job(session, job_id)
        store(session, BOARD, [row(key) for key in range(100)])

    freeze(lambda other: do(other, plan))
    await_that(lambda: served.run(requeue_lapsed) == 1)
