"""Claims and leases follow a model, and jobs of the same priority share the workers."""

from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.models import Unit
from tests.support.claim_machine import run_claim_machine
from tests.support.running.databases import clear, do, make_job, on_sqlite

TURNS = 3


def announce(database: Database, limit: int) -> list[int]:
    """The jobs of the next units."""
    options = {"engine_version": ENGINE_VERSION, "interactive": False, "limit": limit}
    unit_ids = do(database, jobs.announce, **options)
    with database.read() as session:
        rows = session.execute(select(Unit.id, Unit.job_id).where(Unit.id.in_(unit_ids)))
        job_of = {row.id: row.job_id for row in rows}
    return [job_of[unit_id] for unit_id in unit_ids]


@on_sqlite
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(
    sizes=st.lists(st.integers(1, 24), min_size=1, max_size=3), nonblocking_reader=st.integers(1, 3)
)
@example(sizes=[24, 2], nonblocking_reader=1)
def test_every_job_gets_a_share(timed: Database, sizes: list[int], nonblocking_reader: int) -> None:
    clear(timed)
    minor = make_job(timed, 2, priority=-1)
    sized = {make_job(timed, size): size for size in sizes}
    begun: list[int] = []
    while len(begun) < sum(sizes):
        begun += [job_id for job_id in announce(timed, nonblocking_reader) if job_id != minor]
        for job_id, size in sized.items():
            # One unit in three belongs to the job with the fewest started units.
            assert begun.count(job_id) >= min(size, len(begun) // TURNS // len(sizes))
    assert {job_id: begun.count(job_id) for job_id in sized} == sized
    assert set(announce(timed, 9)) <= {minor}


@on_sqlite
def test_a_small_job_passes_a_huge_one(timed: Database) -> None:
    huge = make_job(timed, 538)
    assert announce(timed, 4) == [huge] * 4
    small = make_job(timed, 3)
    begun = [announce(timed, 1)[0] for _ in range(TURNS * 3)]
    assert begun.count(small) == 3
    assert begun.count(huge) == 6
    rivals = [make_job(timed, 1) for _ in range(200)]
    late = make_job(timed, 1)
    assert late in [announce(timed, 1)[0] for _ in range(TURNS)]
    assert announce(timed, TURNS)[:1] != [late]
    assert len({job for _ in range(30) for job in announce(timed, 1)} & set(rivals)) >= 20


def test_claims_follow_the_model(sqlite_path: Path) -> None:
    run_claim_machine(f"sqlite:///{sqlite_path}", examples=15)
