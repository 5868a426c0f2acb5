"""Jobs: planning them, working on their units, writing their results.

``core`` is what all jobs have in common: the kinds there are, how units are claimed, solved and
completed, and how a job is followed. ``answers`` is the door to what is known about a position.
Each kind of job has a package: ``analyze``, ``book``, ``deep``, ``match`` and ``prove``.
``dataset`` makes data sets with jobs of the first.

``runners`` gets a job done, by threads of this process or by workers elsewhere. ``celery`` has
those workers, and announces units to them through a broker. ``app`` is the entrance for Celery's
own command line.

``errors`` has the errors of all of these, ``logs`` is what a worker logs, ``text`` makes text safe
to show, and rows CSV. ``configuration`` reads the file of settings that a person may have,
``cores`` counts the processors that may be used.
"""
