"""The register of workers."""

from dataclasses import replace

from sqlalchemy import select

from db.database import Database
from db.jobs.watching import (
    WORKER_ALIVE_SECONDS,
    live_workers,
    record_worker,
    remove_worker,
    totals,
)
from db.models import Worker
from db.records.jobs import WorkerInfo
from tests.support.running.databases import FakeClock, ask, do, on_sqlite, worker

DAY = 86_400.0


def tell(database: Database, info: WorkerInfo) -> None:
    do(database, record_worker, info)


def alive(database: Database) -> tuple[WorkerInfo, ...]:
    return ask(database, live_workers)


def test_a_worker_that_reports_is_alive(timed: Database, clock: FakeClock) -> None:
    assert alive(timed) == ()
    ada = worker("ada")
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
    do(timed, remove_worker, "nobody")
    assert stored(timed) == ["ada", "bob"]
    clock.time += 1.0
    do(timed, remove_worker, "nobody")
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
