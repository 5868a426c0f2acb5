"""Jobs: plan them, work on their units, write their results.

``core`` is common to all jobs: their kinds, how units are claimed, solved and completed, and how a
job is followed. ``answers`` answers questions about positions. Each kind of job has a package:
``analyze``, ``book``, ``deep``, ``match`` and ``prove``. ``dataset`` makes data sets with jobs of
kind ``analyze``.

``celery`` contains the workers on other machines, and wakes them through a broker. ``remote`` lets
them search positions for an interactive user. ``app`` is the entry point for Celery's own command
line.

``api`` has the functions for Python programs: batches, books, data sets, matches, reviews and
queries. ``tools`` has the functions that ``c4 mcp`` offers to language models.

``errors`` contains the errors of all of these, ``logs`` the log output of workers. ``text`` makes
text safe to show, and CSV from rows. ``configuration`` has the environment variables, and
counts the cores that this process may use.
"""
