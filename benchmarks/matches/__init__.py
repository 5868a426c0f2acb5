"""The source documents' matches, played again: ``python -m benchmarks.matches --help``.

==========  =========================================================
sources     who played whom, and what was reported
measure     plays the same, by the service's own jobs
outcomes    what came of it, and the file that keeps it
pages       ``docs/matches.md``
==========  =========================================================
"""
