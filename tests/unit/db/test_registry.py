"""The registry of workers, and periodic duties."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from db.database import Database
from db.jobs import totals
from db.records.jobs import WorkerInfo
from db.registry import WORKER_ALIVE_SECONDS, acquire_duty, beat, leave, live_workers
from tests.support.running.databases import FakeClock, ask, do, on_sqlite, worker
from tests.support.running.waiting import HANG_SECONDS

DAY = 86_400.0


def tell(database: Database, info: WorkerInfo) -> None:
    do(database, beat, info)


def alive(database: Database, **options: float) -> tuple[WorkerInfo, ...]:
    return ask(database, live_workers, **options)


def test_a_worker_that_reports_is_alive(timed: Database, clock: FakeClock) -> None:
    assert alive(timed) == ()
    ada = worker("ada", note="of another engine")
    tell(timed, ada)
    assert alive(timed) == (replace(ada, started_at=clock.time, seen_at=clock.time),)
    began = clock.time
    clock.time += 5.0
    later = worker("ada", units_done=3, positions_done=300, nodes=2**40, seconds=4.5)
    tell(timed, later)
    assert alive(timed) == (replace(later, started_at=began, seen_at=clock.time),)
    assert ask(timed, totals).live_workers == alive(timed)


@on_sqlite
def test_a_silent_worker_is_gone(timed: Database, clock: FakeClock) -> None:
    tell(timed, worker("bob"))
    clock.time += WORKER_ALIVE_SECONDS
    tell(timed, worker("ada"))
    assert [info.name for info in alive(timed)] == ["ada", "bob"]
    clock.time += 1.0
    assert [info.name for info in alive(timed)] == ["ada"]
    assert [info.name for info in alive(timed, within=DAY)] == ["ada", "bob"]


@on_sqlite
def test_a_silent_worker_is_gone_after_the_clock_is_set_back(
    timed: Database, clock: FakeClock
) -> None:
    tell(timed, worker("bob"))
    tell(timed, worker("ada"))
    clock.time -= 3600.0
    tell(timed, worker("ada"))
    assert [info.name for info in alive(timed)] == ["ada"]


@on_sqlite
def test_a_worker_that_leaves_is_gone_at_once(timed: Database) -> None:
    tell(timed, worker("ada"))
    tell(timed, worker("bob"))
    with timed.write() as session:
        leave(session, "ada")
        leave(session, "nobody")
    assert [info.name for info in alive(timed)] == ["bob"]


@on_sqlite
def test_a_new_process_with_an_old_name_starts_afresh(timed: Database, clock: FakeClock) -> None:
    tell(timed, worker("ada", units_done=5))
    for again in (worker("ada", pid=2, units_done=5), worker("ada", pid=2, units_done=1)):
        clock.time += 1.0
        tell(timed, again)
        assert alive(timed)[0].started_at == clock.time


def test_a_worker_silent_for_a_day_is_deleted(timed: Database, clock: FakeClock) -> None:
    tell(timed, worker("bob"))
    clock.time += DAY
    tell(timed, worker("ada"))
    assert len(alive(timed, within=2 * DAY)) == 2
    clock.time += 1.0
    tell(timed, worker("ada"))
    assert [info.name for info in alive(timed, within=2 * DAY)] == ["ada"]


def acquire(database: Database, name: str = "sweep", every: float = 1.0) -> bool:
    return database.run(lambda session: acquire_duty(session, name, every))


@on_sqlite
def test_a_duty_is_acquired_once_per_period(timed: Database, clock: FakeClock) -> None:
    assert acquire(timed)
    assert not acquire(timed)
    clock.time += 0.5
    assert not acquire(timed)
    clock.time += 0.5
    assert acquire(timed)
    assert not acquire(timed)


@on_sqlite
def test_duties_are_acquired_independently(timed: Database) -> None:
    assert acquire(timed, "sweep")
    assert acquire(timed, "count")
    assert not acquire(timed, "sweep")


@on_sqlite
def test_setting_the_clock_back_stops_no_duty(timed: Database, clock: FakeClock) -> None:
    assert acquire(timed)
    clock.time -= 3_600.0
    assert acquire(timed)
    assert not acquire(timed)


def test_one_of_many_acquires_the_duty(timed: Database, clock: FakeClock) -> None:
    barrier = threading.Barrier(8)

    def together(number: int) -> bool:
        del number
        barrier.wait()
        return acquire(timed)

    with ThreadPoolExecutor(8) as pool:
        for _ in range(2):  # the first time ever, and a later time
            assert sum(pool.map(together, range(8))) == 1
            clock.time += 1.0


@pytest.mark.postgres
def test_acquiring_a_duty_does_not_wait_for_others(postgres_url: str) -> None:
    with Database.open(postgres_url) as database:
        acquire(database, "slow", 0.0)
        with database.write() as session:
            assert acquire_duty(session, "slow", 0.0)
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(acquire, database, "slow", 0.0).result(HANG_SECONDS) is False
