"""Jobs and their units: plan, claim, complete, control, watch. Callers import everything from here.

The database is the queue. The life of a unit::

    queued --claim--> leased --complete--> done
      ^                 |
      |--release--------|   handed back: the attempt does not count
      |--fail-----------|   an error: queued again, or failed after MAX_ATTEMPTS
      |--requeue_expired|   the lease expired: queued again, or failed after MAX_LOST_ATTEMPTS
      |--cancel_job---->|   cancelled, from queued and leased; resume_job queues it again

Most jobs are planned completely before they start. Others grow while they run
(:mod:`db.jobs.control`), and may end units that are not needed any more (``cut_units``).

After ``complete`` and ``fail``, call ``finish_if_complete`` in a transaction of its own.
"""

from __future__ import annotations

from db.jobs.control import (
    GrowingJob as GrowingJob,
    add_units as add_units,
    cancel_job as cancel_job,
    create_job as create_job,
    cut_units as cut_units,
    delete_job as delete_job,
    finish_if_complete as finish_if_complete,
    jobs_of_kind as jobs_of_kind,
    lock_job as lock_job,
    newest_job as newest_job,
    prune_jobs as prune_jobs,
    resume_job as resume_job,
    set_priority as set_priority,
    start_job as start_job,
    state_of as state_of,
)
from db.jobs.queue import (
    Eligible as Eligible,
    are_held as are_held,
    claim as claim,
    complete as complete,
    fail as fail,
    is_queued as is_queued,
    prolong as prolong,
    record_work as record_work,
    release as release,
    requeue_expired as requeue_expired,
    survey as survey,
)
from db.jobs.watching import (
    get_job as get_job,
    jobs_of_label as jobs_of_label,
    list_jobs as list_jobs,
    live_workers as live_workers,
    record_worker as record_worker,
    remove_worker as remove_worker,
    totals as totals,
    unit_results as unit_results,
)
