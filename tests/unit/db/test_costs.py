from concurrent.futures import ThreadPoolExecutor

import pytest

from c4core.notation import BoardSize
from c4core.version import ENGINE_VERSION
from db.costs import Cost, add_costs, read_costs
from db.database import Database
from tests.support.jobs import finish, must_take
from tests.support.running.databases import BOARD, ask, do, make_job, on_sqlite
from tests.support.running.waiting import HANG_SECONDS


def add(database: Database, costs: dict[int, Cost], **changes: object) -> None:
    do(database, add_costs, costs=costs, **(LIKE | changes))


def read(database: Database, **changes: object) -> dict[int, Cost]:
    return ask(database, read_costs, **(LIKE | changes))


LIKE = {"engine_version": ENGINE_VERSION, "board": BOARD, "columns": True}


def test_measurements_add_up(database: Database) -> None:
    assert read(database) == {}
    add(database, {})
    add(database, {12: Cost(10, 1.0), 8: Cost(1, 2.0)})
    add(database, {12: Cost(30, 0.5), 13: Cost(5, 0.25)})
    assert read(database) == {8: Cost(1, 2.0), 12: Cost(40, 1.5), 13: Cost(5, 0.25)}


@on_sqlite
@pytest.mark.parametrize(
    "change",
    [{"engine_version": ENGINE_VERSION + 1}, {"board": BoardSize(6, 7)}, {"columns": False}],
)
def test_unlike_costs_are_kept_apart(database: Database, change: dict[str, object]) -> None:
    add(database, {12: Cost(10, 1.0)})
    add(database, {12: Cost(1, 9.0)}, **change)
    assert read(database) == {12: Cost(10, 1.0)}
    assert read(database, **change) == {12: Cost(1, 9.0)}


@on_sqlite
def test_a_completed_unit_adds_its_costs(database: Database) -> None:
    make_job(database, 2)
    first, second = must_take(database), must_take(database)
    assert finish(database, first, costs={8: Cost(10, 0.5)})
    assert not finish(database, first, costs={8: Cost(10, 0.5)})
    assert finish(database, second, costs={8: Cost(1, 0.25)}, columns=False)
    assert read(database) == {8: Cost(10, 0.5)}
    assert read(database, columns=False) == {8: Cost(1, 0.25)}


@pytest.mark.postgres
def test_adding_costs_does_not_wait_for_other_transactions(postgres_url: str) -> None:
    with Database.open(postgres_url) as database:
        add(database, {5: Cost(1, 1.0), 6: Cost(1, 1.0)})
        with database.write() as session:
            add_costs(session, costs={5: Cost(1, 1.0)}, **LIKE)
            with ThreadPoolExecutor(1) as pool:
                both = {5: Cost(1, 1.0), 6: Cost(1, 1.0)}
                pool.submit(add, database, both).result(HANG_SECONDS)
        costs = read(database)
    assert (costs[5], costs[6]) == (Cost(2, 2.0), Cost(2, 2.0))
