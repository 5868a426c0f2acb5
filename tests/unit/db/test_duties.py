import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from db.database import Database
from db.registry import acquire_duty
from tests.support.running.databases import FakeClock, on_sqlite
from tests.support.running.waiting import HANG_SECONDS


def acquire(database: Database, name: str = "sweep", every: float = 1.0) -> bool:
    return database.run(lambda session: acquire_duty(session, name, every))


@on_sqlite
def test_a_duty_is_acquired_once_in_its_time(timed: Database, clock: FakeClock) -> None:
    assert acquire(timed)
    assert not acquire(timed)
    clock.time += 0.5
    assert not acquire(timed)
    clock.time += 0.5
    assert acquire(timed)
    assert not acquire(timed)


@on_sqlite
def test_duties_are_acquired_one_by_one(timed: Database) -> None:
    assert acquire(timed, "sweep")
    assert acquire(timed, "count")
    assert not acquire(timed, "sweep")


@on_sqlite
def test_a_clock_that_was_set_back_stops_nobody(timed: Database, clock: FakeClock) -> None:
    assert acquire(timed)
    clock.time -= 3_600.0
    assert acquire(timed)
    assert not acquire(timed)


def test_of_many_one_acquires_the_duty(timed: Database, clock: FakeClock) -> None:
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
def test_nobody_waits_for_who_is_acquiring_it(postgres_url: str) -> None:
    with Database.open(postgres_url) as database:
        acquire(database, "slow", 0.0)
        with database.write() as session:
            assert acquire_duty(session, "slow", 0.0)
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(acquire, database, "slow", 0.0).result(HANG_SECONDS) is False
