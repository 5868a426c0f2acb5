"""The registry of workers, and periodic duties."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from sqlalchemy import select

from db.database import Database
from db.jobs import acquire_duty, live_workers, record_worker_heartbeat, remove_worker, totals
from db.jobs.sharing import WORKER_ALIVE_SECONDS
from db.models import Worker
from db.records.jobs import WorkerInfo
from tests.support.running.databases import FakeClock, ask, do, on_postgresql, on_sqlite, worker
from tests.support.running.processes import at_once
from tests.support.running.waiting import HANG_SECONDS

DAY = 86_400.0


def tell(database: Database, info: WorkerInfo) -> None:
    do(database, record_worker_heartbeat, info)


def alive(database: Database) -> tuple[WorkerInfo, ...]:
    return ask(database, live_workers)


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


def names(database: Database) -> list[str]:
    return [info.name for info in alive(database)]


def stored(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(select(Worker.name).order_by(Worker.name)))


def test_a_silent_worker_is_gone_and_after_a_day_deleted(timed: Database, clock: FakeClock) -> None:
    tell(timed, worker("bob"))
    clock.time += WORKER_ALIVE_SECONDS
    tell(timed, worker("ada"))
    assert names(timed) == ["ada", "bob"]
    clock.time += 1.0
    assert names(timed) == ["ada"]
    assert stored(timed) == ["ada", "bob"]
    clock.time += DAY - WORKER_ALIVE_SECONDS - 1.0
    tell(timed, worker("ada"))
    assert stored(timed) == ["ada", "bob"]
    clock.time += 1.0
    tell(timed, worker("ada"))
    assert stored(timed) == ["ada"]


@on_sqlite
def test_a_worker_is_gone_if_it_leaves_or_is_silent_after_the_clock_is_set_back(
    timed: Database, clock: FakeClock
) -> None:
    for name in ("ada", "bob", "eve"):
        tell(timed, worker(name))
    do(timed, remove_worker, "ada")
    do(timed, remove_worker, "nobody")
    assert names(timed) == ["bob", "eve"]
    clock.time -= 3600.0
    tell(timed, worker("eve"))
    assert names(timed) == ["eve"]


@on_sqlite
def test_a_new_process_with_an_old_name_starts_afresh(timed: Database, clock: FakeClock) -> None:
    tell(timed, worker("ada", units_done=5))
    for again in (worker("ada", pid=2, units_done=5), worker("ada", pid=2, units_done=1)):
        clock.time += 1.0
        tell(timed, again)
        assert alive(timed)[0].started_at == clock.time


def acquire(database: Database, name: str = "sweep", every: float = 1.0) -> bool:
    return database.run(lambda session: acquire_duty(session, name, every))


@on_sqlite
def test_each_duty_is_acquired_once_per_period(timed: Database, clock: FakeClock) -> None:
    assert acquire(timed)
    assert not acquire(timed)
    clock.time += 0.5
    assert not acquire(timed)
    assert acquire(timed, "count")
    assert not acquire(timed)
    clock.time += 0.5
    assert acquire(timed)
    assert not acquire(timed)
    clock.time -= 3_600.0
    assert acquire(timed)
    assert not acquire(timed)


def test_one_of_many_acquires_the_duty(timed: Database, clock: FakeClock) -> None:
    for _ in range(2):  # the first time ever, and a later time
        assert sum(at_once(lambda: acquire(timed))) == 1
        clock.time += 1.0


@on_postgresql
def test_acquiring_a_duty_does_not_wait_for_others(database: Database) -> None:
    acquire(database, "slow", 0.0)
    with database.write() as session:
        assert acquire_duty(session, "slow", 0.0)
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(acquire, database, "slow", 0.0).result(HANG_SECONDS) is False
