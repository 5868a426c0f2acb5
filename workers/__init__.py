"""Jobs: planning them, working on their units, writing their results.

``evaluate`` answers questions about positions, stored or searched. ``analysis`` makes a batch of
lines into a job and its results into output; ``execution`` is the claim, solve, complete core, and
``local`` drives it with the threads of this process, ``service`` with those of a Celery worker.
``books`` and ``matches`` are jobs of their own kinds.
"""
