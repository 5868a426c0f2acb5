"""Claims and leases follow a model, and jobs of the same priority share the workers."""

from pathlib import Path

from db.database import Database
from tests.support.claim_machine import run_claim_machine
from tests.support.jobs import must_take, take
from tests.support.running.databases import make_job, on_sqlite

CLAIMS = 300


@on_sqlite
def test_jobs_of_one_priority_share_the_claims(timed: Database) -> None:
    """A third goes to the oldest job, a third to the newest, a third to any of the four."""
    minor = make_job(timed, 2, priority=-1)
    oldest, *others, newest = (make_job(timed, CLAIMS) for _ in range(4))
    begun = [must_take(timed).job_id for _ in range(CLAIMS)]
    # The expected numbers are 125 and 25. A chance of one in a million is never met.
    for job_id in (oldest, newest):
        assert 80 < begun.count(job_id) < 170
    for job_id in others:
        assert 5 < begun.count(job_id) < 55
    assert minor not in begun


@on_sqlite
def test_a_small_job_passes_a_huge_one(timed: Database) -> None:
    huge = make_job(timed, 538)
    assert {must_take(timed).job_id for _ in range(4)} == {huge}
    small = make_job(timed, 3)
    begun = [must_take(timed).job_id for _ in range(100)]
    assert begun.count(small) == 3
    assert begun.count(huge) == 97


@on_sqlite
def test_all_units_are_claimed_before_those_of_lower_priority(timed: Database) -> None:
    minor = make_job(timed, 1, priority=-1)
    urgent = [make_job(timed, size) for size in (1, 5, 2)]
    begun = [must_take(timed).job_id for _ in range(9)]
    assert [begun.count(job_id) for job_id in urgent] == [1, 5, 2]
    assert begun[-1] == minor
    assert take(timed) is None


def test_claims_follow_the_model(sqlite_path: Path) -> None:
    run_claim_machine(f"sqlite:///{sqlite_path}", examples=15)
