"""Why a worker gets no work."""

import pytest

from c4core.version import ENGINE_VERSION
from db.jobs import RunningJob
from workers.core.lanes import Lane
from workers.service.registration import why_idle

OURS = RunningJob(1, "analyze", ENGINE_VERSION, 0)
URGENT = OURS._replace(id=2, priority=100)
NEWER = OURS._replace(id=3, engine_version=ENGINE_VERSION + 1)
STRANGE = OURS._replace(id=4, kind="tea")
BOTH = tuple(Lane)


@pytest.mark.parametrize("jobs", [[], [OURS], [URGENT], [NEWER, OURS], [STRANGE, URGENT]])
def test_no_reason_when_there_is_work_or_none_at_all(jobs: list[RunningJob]) -> None:
    assert why_idle(jobs, BOTH) is None


def test_jobs_for_another_engine() -> None:
    note = why_idle([NEWER], BOTH)
    assert note == (
        f"the running jobs are for engine version {ENGINE_VERSION + 1}, this is {ENGINE_VERSION}"
    )


def test_jobs_of_a_kind_that_is_not_known() -> None:
    assert "does not know: tea" in str(why_idle([STRANGE, NEWER], BOTH))


def test_jobs_that_it_was_told_not_to_take() -> None:
    assert "are interactive" in str(why_idle([URGENT], [Lane.BULK]))
    assert "are bulk" in str(why_idle([OURS], [Lane.INTERACTIVE]))
    assert why_idle([OURS, URGENT], [Lane.INTERACTIVE]) is None
