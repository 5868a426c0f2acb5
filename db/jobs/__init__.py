"""Jobs and their units: plan, claim, complete, control, watch. Callers import everything from here.

The database is the authoritative queue. The life of a unit::

    queued --claim--> leased --complete--> done
      ^                 |
      |--release--------|   handed back, the attempt does not count
      |--fail-----------|   queued again, or failed after MAX_ATTEMPTS
      |--lease ran out--|   queued again by requeue_lapsed or claimed anew, the attempt does not
      |--lapse----------|   count; or failed after MAX_LAPSES
      |--cancel_job---->|   cancelled, from queued and leased; resume_job queues it again
      |--cut_units----->|   done, from queued and leased: its result is not needed any more

Workers either claim any unit (``claim``) or a unit that was announced: ``announce`` marks it, a
message carries its number, and ``claim_unit`` takes it (``claim_next_piece``, if the unit's job
grows).

Most jobs are planned completely before they start. Others grow while they run
(:mod:`db.jobs.planning`).

After ``complete`` and ``fail``, call ``finish_if_complete`` in a transaction of its own.
"""

from __future__ import annotations

from db.jobs.claiming import (
    REANNOUNCE_SECONDS,
    announce,
    claim,
    claim_next_piece,
    claim_unit,
    job_of_unit,
    requeue_lapsed,
    take_back,
)
from db.jobs.completing import (
    add_costs,
    are_held,
    complete,
    fail,
    heartbeat,
    lapse,
    prolong,
    read_costs,
    release,
)
from db.jobs.planning import (
    GrowingJob,
    GrowingUnit,
    add_more_units,
    add_units,
    change_unit,
    create_job,
    cut_units,
    hold_job,
    hold_question,
    jobs_of_kind,
    read_units,
    start_job,
)
from db.jobs.sharing import (
    PARCELS,
    BoundsPackage,
    PlannedJob,
    abandoned_jobs,
    acquire_duty,
    attended_jobs,
    begun_jobs,
    clear_runner_heartbeat,
    live_workers,
    new_parcels,
    planned_job,
    record_planner_heartbeat,
    record_runner_heartbeat,
    record_worker_heartbeat,
    remove_worker,
    share_bounds,
)
from db.jobs.state import (
    cancel_abandoned,
    cancel_job,
    finish_if_complete,
    resume_job,
    retry_job,
    set_priority,
    state_of,
)
from db.jobs.watching import (
    RunningJob,
    get_job,
    has_queued_unit,
    jobs_of_label,
    jobs_to_finish,
    list_jobs,
    newest_job,
    progress,
    running_jobs,
    totals,
    unit_results,
)

__all__ = [
    "PARCELS",
    "REANNOUNCE_SECONDS",
    "BoundsPackage",
    "GrowingJob",
    "GrowingUnit",
    "PlannedJob",
    "RunningJob",
    "abandoned_jobs",
    "acquire_duty",
    "add_costs",
    "add_more_units",
    "add_units",
    "announce",
    "are_held",
    "attended_jobs",
    "begun_jobs",
    "cancel_abandoned",
    "cancel_job",
    "change_unit",
    "claim",
    "claim_next_piece",
    "claim_unit",
    "clear_runner_heartbeat",
    "complete",
    "create_job",
    "cut_units",
    "fail",
    "finish_if_complete",
    "get_job",
    "has_queued_unit",
    "heartbeat",
    "hold_job",
    "hold_question",
    "job_of_unit",
    "jobs_of_kind",
    "jobs_of_label",
    "jobs_to_finish",
    "lapse",
    "list_jobs",
    "live_workers",
    "new_parcels",
    "newest_job",
    "planned_job",
    "progress",
    "prolong",
    "read_costs",
    "read_units",
    "record_planner_heartbeat",
    "record_runner_heartbeat",
    "record_worker_heartbeat",
    "release",
    "remove_worker",
    "requeue_lapsed",
    "resume_job",
    "retry_job",
    "running_jobs",
    "set_priority",
    "share_bounds",
    "start_job",
    "state_of",
    "take_back",
    "totals",
    "unit_results",
]
