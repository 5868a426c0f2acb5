import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from db.database import Database
from db.duties import take_turn
from tests.support.databases import FakeClock


def take(database: Database, name: str = "sweep", every: float = 1.0) -> bool:
    return database.run(lambda session: take_turn(session, name, every))


def test_a_turn_is_taken_once_in_its_time(timed: Database, clock: FakeClock) -> None:
    assert take(timed)
    assert not take(timed)
    clock.time += 0.5
    assert not take(timed)
    clock.time += 0.5
    assert take(timed)
    assert not take(timed)


def test_duties_have_turns_of_their_own(timed: Database) -> None:
    assert take(timed, "sweep")
    assert take(timed, "count")
    assert not take(timed, "sweep")


def test_a_clock_that_was_set_back_stops_nobody(timed: Database, clock: FakeClock) -> None:
    assert take(timed)
    clock.time -= 3_600.0
    assert take(timed)
    assert not take(timed)


def test_of_many_one_gets_the_turn(database: Database) -> None:
    barrier = threading.Barrier(8)

    def together(number: int) -> list[bool]:
        del number
        taken = []
        for every in (3_600.0, 0.001):  # the first ever, and a later one
            barrier.wait()
            taken.append(take(database, "sweep", every))
        return taken

    with ThreadPoolExecutor(8) as pool:
        first, second = zip(*pool.map(together, range(8)), strict=True)
    assert sum(first) == 1
    assert sum(second) >= 1


@pytest.mark.postgres
def test_nobody_waits_for_who_is_taking_it(postgres_url: str) -> None:
    with Database.open(postgres_url) as database:
        take(database, "slow", 0.0)
        with database.write() as session:
            assert take_turn(session, "slow", 0.0)
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(take, database, "slow", 0.0).result(timeout=30) is False
