"""The source documents' matches, played again: ``python -m benchmarks.matches --help``.

==========  =========================================================
sources     who played whom, and what was reported
measure     plays the same, by the service's own jobs
outcomes    the outcomes, and the file that keeps them
pages       ``docs/matches.md``
==========  =========================================================
"""
