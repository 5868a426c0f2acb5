"""Workers for tests: they claim, complete and fail units by hand."""

from sqlalchemy import select

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.jobs import claim, claim_unit, complete, fail, finish_if_complete, get_job
from db.models import Unit
from db.records.jobs import Claim, JobState, UnitState

LEASE = 30.0


def take(database: Database, **options: object) -> Claim | None:
    defaults: dict[str, object] = {
        "owner": "ada",
        "lease_seconds": LEASE,
        "engine_version": ENGINE_VERSION,
    }
    with database.write() as session:
        return claim(session, **(defaults | options))


def must_take(database: Database, **options: object) -> Claim:
    taken = take(database, **options)
    assert taken is not None
    return taken


def finish(database: Database, taken: Claim, **options: object) -> bool:
    defaults: dict[str, object] = {"evaluations": [], "result": None, "nodes": 5, "seconds": 0.5}
    with database.write() as session:
        done = complete(session, taken, **(defaults | options))
    with database.write() as session:
        finish_if_complete(session, taken.job_id)
    return done


def give_up(database: Database, taken: Claim, error: str = "broken") -> UnitState | None:
    with database.write() as session:
        state = fail(session, taken, error)
    with database.write() as session:
        finish_if_complete(session, taken.job_id)
    return state


def state_of(database: Database, job_id: int) -> JobState:
    with database.read() as session:
        return get_job(session, job_id).state


def take_unit(database: Database, unit_id: int, **options: object) -> Claim | None:
    defaults: dict[str, object] = {
        "owner": "ada",
        "lease_seconds": LEASE,
        "engine_version": ENGINE_VERSION,
    }
    with database.write() as session:
        return claim_unit(session, unit_id, **(defaults | options))


def unit_ids(database: Database, job_id: int) -> list[int]:
    """The numbers of a job's units, in order."""
    with database.read() as session:
        return list(
            session.scalars(select(Unit.id).where(Unit.job_id == job_id).order_by(Unit.seq))
        )
