"""What one ``c4 serve`` answers under load: ``python -m benchmarks.web --help``.

================  ====================================================================
questions         the positions that are asked, and the addresses to ask them at
serving           a server of its own, with a database of its own, and its memory
load              ``wrk``, which asks as fast as it is answered
batches           batches that run meanwhile
asking            one client that asks one question after the other
measure           all of it, in order
results           the file of figures, and the tables of ``docs/web.md``
================  ====================================================================
"""
