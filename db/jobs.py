"""Jobs and their units: plan, claim, complete, steer, watch. The face of the modules that do it.

The database is the queue of truth. The life of a unit::

    queued --claim--> leased --complete--> done
      ^                 |
      |--release--------|   handed back, the attempt does not count
      |--fail-----------|   queued again, or failed after MAX_ATTEMPTS
      |--lease ran out--|   claimed anew, or failed after MAX_ATTEMPTS
      |--cancel_job---->|   cancelled, from queued and leased; resume_job queues it again

After ``complete`` and ``fail``, and in a transaction of its own, call ``finish_if_complete``.
"""

from __future__ import annotations

from db.job_claims import claim, complete, fail, finish_if_complete, heartbeat, release
from db.job_control import cancel_job, resume_job, retry_job
from db.job_planning import add_units, create_job, start_job
from db.job_records import (
    MAX_ATTEMPTS,
    Claim,
    FailedUnit,
    JobInfo,
    JobProgress,
    JobState,
    Json,
    ServiceStatus,
    UnitPlan,
    UnitResult,
    UnitState,
)
from db.job_views import failed_units, get_job, list_jobs, progress, totals, unit_results

__all__ = [
    "MAX_ATTEMPTS",
    "Claim",
    "FailedUnit",
    "JobInfo",
    "JobProgress",
    "JobState",
    "Json",
    "ServiceStatus",
    "UnitPlan",
    "UnitResult",
    "UnitState",
    "add_units",
    "cancel_job",
    "claim",
    "complete",
    "create_job",
    "fail",
    "failed_units",
    "finish_if_complete",
    "get_job",
    "heartbeat",
    "list_jobs",
    "progress",
    "release",
    "resume_job",
    "retry_job",
    "start_job",
    "totals",
    "unit_results",
]
