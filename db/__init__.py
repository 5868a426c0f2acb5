"""Storage: every solved position, job, unit of work and game, in SQLite or PostgreSQL.

All SQL of the project lives here. Callers open a :class:`db.database.Database`, take a session
from ``read()`` or ``write()`` and hand it to the functions of

- :mod:`db.evaluations`: store, look up, search and stream evaluations;
- :mod:`db.jobs`: plan jobs, claim and complete units, watch and steer;
- :mod:`db.games`: matches and their games;
- :mod:`db.registry`: the worker processes that live;
- :mod:`db.duties`: what only one of many processes may do at a time;
- :mod:`db.costs`: what searching has taken, measured;
- :mod:`db.maintenance`: statistics, integrity check (:mod:`db.integrity`), backup.

They take and return the plain values of :mod:`db.records`. :mod:`db.migrations` makes the tables,
and brings those of older versions up to date. The other modules are what all of these share: the
tables (:mod:`db.models`), the types of their columns, connections, the database's clock, errors.

Nothing is imported here, so that a program that only shows its help text does not load SQLAlchemy.
"""
