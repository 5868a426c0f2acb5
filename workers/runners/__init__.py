"""Runners: they complete a job.

``local``: threads of this process. ``remote``: workers elsewhere, also for a user who waits for the
answer about a few positions.
"""
