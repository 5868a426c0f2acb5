"""Units of which nobody can read what to do: they fail, and keep nobody from the others."""

from pathlib import Path

import pytest
from sqlalchemy import text

from db.database import Database
from db.jobs import finish_if_complete, retry_job
from db.records.jobs import JobState
from tests.support.jobs import (
    LEASE,
    failed_units,
    finish,
    must_take,
    state_of,
    take,
    take_unit,
    unit_ids,
)
from tests.support.running.databases import FakeClock, ask, make_job, on_sqlite


def damage(database: Database, statement: str, **values: object) -> None:
    with database.write() as session:
        session.execute(text(statement), values)


def damage_payload(database: Database, unit_id: int) -> None:
    statement = "UPDATE units SET payload = replace(payload, 'number', 'lumber') WHERE id = :id"
    damage(database, statement, id=unit_id)


def damage_params(database: Database, job_id: int) -> None:
    statement = "UPDATE jobs SET params = replace(params, 'depth', 'death') WHERE id = :id"
    damage(database, statement, id=job_id)


def errors(database: Database, job_id: int) -> dict[int, str]:
    return {unit.seq: unit.error for unit in ask(database, failed_units, job_id)}


def test_the_others_are_done_and_the_job_fails(database: Database) -> None:
    job_id = make_job(database, 3)
    damage_payload(database, unit_ids(database, job_id)[0])
    for seq in (1, 2):
        taken = must_take(database)
        assert taken.seq == seq
        finish(database, taken)
    assert errors(database, job_id) == {
        0: "what to do cannot be read: a stored JSON object is damaged: "
        '\'{"lumber":0,"#":"ec0c7986"}\''
    }
    assert state_of(database, job_id) is JobState.FAILED


@on_sqlite
def test_one_that_a_message_has_named(database: Database) -> None:
    job_id = make_job(database, 2)
    first, second = unit_ids(database, job_id)
    damage_payload(database, first)
    assert take_unit(database, first) is None
    assert list(errors(database, job_id)) == [0]
    assert state_of(database, job_id) is JobState.RUNNING
    taken = take_unit(database, second)
    assert taken is not None
    finish(database, taken)
    assert state_of(database, job_id) is JobState.FAILED


@on_sqlite
def test_one_whose_lease_has_run_out(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 2)
    damage_payload(timed, must_take(timed).unit_id)
    clock.time += LEASE + 1
    assert must_take(timed).seq == 1
    assert list(errors(timed, job_id)) == [0]


def test_all_units_of_a_job_whose_parameters_are_damaged(database: Database) -> None:
    damaged = make_job(database, 100, priority=1)
    other = make_job(database, 1)
    working = must_take(database)
    damage_params(database, damaged)
    assert must_take(database).job_id == other
    assert list(errors(database, damaged)) == list(range(1, 100))
    assert finish(database, working)
    unit = ask(database, failed_units, damaged)[0]
    assert unit.error.startswith("the parameters of the job cannot be read: a stored JSON object")
    damage(database, "UPDATE jobs SET params = replace(params, 'death', 'depth')")
    assert state_of(database, damaged) is JobState.FAILED


@on_sqlite
def test_the_last_one_leaves_nothing_to_do(database: Database) -> None:
    job_id = make_job(database, 1)
    (unit_id,) = unit_ids(database, job_id)
    damage_payload(database, unit_id)
    for _ in range(2):
        assert take(database) is None
        with database.write() as session:
            assert finish_if_complete(session, job_id) is JobState.FAILED
            retry_job(session, job_id)
    damage(database, "UPDATE units SET payload = replace(payload, 'lumber', 'number')")
    assert must_take(database).payload == {"number": 0}


BYTES_AS_TEXT = "UPDATE units SET payload = CAST(:value AS TEXT) WHERE seq = 0"
ANYTHING = "UPDATE units SET payload = :value WHERE seq = 0"


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        (BYTES_AS_TEXT, b'{"number":0}\xff'),
        (ANYTHING, b"\xff\x00"),
        (ANYTHING, 7),
        (ANYTHING, "null"),
        (ANYTHING, '{"a":1,"#":"00"}'),
    ],
)
def test_whatever_stands_there(sqlite_path: Path, statement: str, value: object) -> None:
    with Database.open(str(sqlite_path)) as database:
        job_id = make_job(database, 2)
        damage(database, statement, value=value)
        assert must_take(database).seq == 1
        assert list(errors(database, job_id)) == [0]
