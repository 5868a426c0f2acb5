"""Players that learn, trained and tried: ``python -m benchmarks.learning --help``.

==========  ====================================================================
measure     how strong models are: on final grids, on exact labels, in games
results     the file that keeps it, part by part
pages       the tables of ``docs/learning.md``
plots       ``docs/learning-*.svg``
==========  ====================================================================
"""
