"""Parcels of bounds: who receives them, and when they are deleted."""

import pytest

from db.database import Database
from db.errors import JobNotFoundError
from db.jobs import (
    PARCELS,
    BoundsPackage,
    cancel_job,
    new_parcels,
    resume_job,
    retry_job,
    share_bounds,
)
from db.records.jobs import MAX_ATTEMPTS, JobState
from tests.support.jobs import finish, give_up, must_take, of_job, state_of
from tests.support.running.databases import ask, do, make_job, on_sqlite

ADA, BOB = 5, (1 << 62) - 1


def send(database: Database, job_id: int, *parcels: BoundsPackage) -> list[bool]:
    with database.write() as session:
        return [share_bounds(session, job_id, parcel) for parcel in parcels]


def received(database: Database, job_id: int, **known: int) -> list[BoundsPackage]:
    senders = {"ada": ADA, "bob": BOB}
    return ask(database, new_parcels, job_id, {senders[name]: known[name] for name in known})


def test_every_process_receives_the_parcels_it_lacks(database: Database) -> None:
    job_id, other = make_job(database, 1), make_job(database, 1)
    parcels = [
        BoundsPackage(ADA, 0, b"one"),
        BoundsPackage(ADA, 1, b"two"),
        BoundsPackage(BOB, 0, b"\0" * 100_000),
    ]
    assert send(database, job_id, *parcels) == [True] * 3
    assert received(database, job_id) == parcels
    assert received(database, job_id, ada=2) == parcels[2:]
    assert received(database, job_id, ada=1, bob=0) == parcels[1:]
    assert received(database, job_id, bob=1) == parcels[:2]
    assert received(database, job_id, ada=2, bob=1) == []
    assert received(database, other) == []
    send(database, job_id, BoundsPackage(ADA, 7, b"after a gap"))
    assert received(database, job_id, ada=2, bob=1) == [BoundsPackage(ADA, 7, b"after a gap")]
    many = [BoundsPackage(ADA, number, b"x") for number in range(PARCELS + 3)]
    send(database, other, *many)
    assert received(database, other) == many[:PARCELS]
    assert received(database, other, ada=PARCELS) == many[PARCELS:]


@on_sqlite
def test_parcels_of_a_done_job_stay_until_the_next_is_done(database: Database) -> None:
    first, second = make_job(database, 1), make_job(database, 1)
    for job_id in (first, second):
        send(database, job_id, BoundsPackage(ADA, 0, b"one"))
    finish(database, must_take(database, of_job(first)))
    assert state_of(database, first) is JobState.DONE
    assert send(database, first, BoundsPackage(ADA, 1, b"too late")) == [False]
    assert received(database, first) == [BoundsPackage(ADA, 0, b"one")]
    finish(database, must_take(database, of_job(second)))
    assert received(database, first) == []
    assert received(database, second) == [BoundsPackage(ADA, 0, b"one")]


@on_sqlite
def test_parcels_of_a_resumable_job_stay(database: Database) -> None:
    job_id = make_job(database, 1)
    send(database, job_id, BoundsPackage(ADA, 0, b"one"))
    do(database, cancel_job, job_id)
    assert send(database, job_id, BoundsPackage(ADA, 1, b"two")) == [False]
    do(database, resume_job, job_id)
    for _ in range(MAX_ATTEMPTS):
        give_up(database, must_take(database, of_job(job_id)))
    assert state_of(database, job_id) is JobState.FAILED
    do(database, retry_job, job_id)
    assert received(database, job_id) == [BoundsPackage(ADA, 0, b"one")]
    with pytest.raises(JobNotFoundError):
        send(database, job_id + 1, BoundsPackage(ADA, 0, b"one"))
