"""Jobs: planning them, working on their units, writing their results.

``core`` is what all jobs have in common: the kinds there are, how units are claimed, solved and
completed, and how a job is followed. Each kind of job has a package: ``positions`` (the kind
"analyze"), ``books``, ``deep``, ``matches`` and ``certificates`` (the kind "prove"); ``dataset``
makes data sets with jobs of the first.

``runners`` gets a job done, by threads of this process or by workers elsewhere. ``celery`` has
those workers, and announces units to them through a broker. ``app`` is the entrance for Celery's
own command line.

``errors`` has the errors of all of these, ``logs`` is a worker's log, ``printable`` makes text
from outside safe to show, ``wording`` puts numbers into words. ``configuration`` reads the file of
settings that a person may have, and ``csv_lines`` makes CSV of rows.
"""
