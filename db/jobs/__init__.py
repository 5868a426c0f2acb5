"""Jobs and their units: plan, claim, complete, control, watch.

The database is the queue. The life of a unit::

    queued --claim--> leased --complete--> done
      ^                 |
      |--release--------|   handed back: the attempt does not count
      |--fail-----------|   an error: queued again, or failed after MAX_ATTEMPTS
      |--requeue_expired|   the lease expired: queued again, or failed after MAX_LOST_ATTEMPTS
      |--cancel_job---->|   cancelled, from queued and leased; resume_job queues it again

``control`` plans, ends and resumes jobs, ``queue`` has the verbs of workers, ``watching`` shows
jobs and workers. After ``complete`` and ``fail``, call ``finish_if_complete`` in a transaction of
its own.
"""
