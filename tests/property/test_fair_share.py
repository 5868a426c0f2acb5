"""Jobs of the same priority share the workers: none is left out, and a new one begins at once."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.models import Unit
from tests.support.running.databases import clear, do, make_job

TURNS = 3


def announce(database: Database, limit: int) -> list[int]:
    """The jobs of the next units."""
    options = {"engine_version": ENGINE_VERSION, "interactive": False, "limit": limit}
    unit_ids = do(database, jobs.announce, **options)
    with database.read() as session:
        rows = session.execute(select(Unit.id, Unit.job_id).where(Unit.id.in_(unit_ids)))
        job_of = {row.id: row.job_id for row in rows}
    return [job_of[unit_id] for unit_id in unit_ids]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(sizes=st.lists(st.integers(1, 8), min_size=1, max_size=4), at_once=st.integers(1, 3))
def test_every_job_gets_a_share(sqlite_path: Path, sizes: list[int], at_once: int) -> None:
    with Database.open(f"sqlite:///{sqlite_path}") as database:
        clear(database)
        minor = make_job(database, 2, priority=-1)
        left = {make_job(database, size): size for size in sizes}
        since = dict.fromkeys(left, 0)
        while left:
            chosen = [job_id for job_id in announce(database, at_once) if job_id != minor]
            assert len(chosen) == min(at_once, sum(left.values()))  # the minor one gets the rest
            for job_id in chosen:
                left[job_id] -= 1
            for job_id in since:
                since[job_id] = 0 if job_id in chosen else since[job_id] + len(chosen)
            left = {job_id: size for job_id, size in left.items() if size}
            assert all(since[job_id] < TURNS * (sum(sizes) + at_once) for job_id in left)


def test_a_small_job_passes_a_huge_one(sqlite_path: Path) -> None:
    with Database.open(f"sqlite:///{sqlite_path}") as database:
        huge = make_job(database, 538)
        assert announce(database, 4) == [huge] * 4
        small = make_job(database, 3)
        begun = [announce(database, 1)[0] for _ in range(TURNS * 3)]
        assert begun.count(small) == 3
        assert begun.count(huge) == 6
        rivals = [make_job(database, 1) for _ in range(1000)]
        late = make_job(database, 1)
        assert late in [announce(database, 1)[0] for _ in range(TURNS)]
        assert announce(database, TURNS)[:1] != [late]
        assert len({job for _ in range(30) for job in announce(database, 1)} & set(rivals)) >= 20
