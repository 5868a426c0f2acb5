"""Storage: every solved position, job, unit of work and game, in SQLite or PostgreSQL.

All SQL of the project lives here. Callers open a :class:`db.database.Database`, take a session
from ``read()`` or ``write()`` and hand it to the functions of

- :mod:`db.evaluations`: store, look up, search and stream evaluations;
- :mod:`db.jobs`: plan jobs, claim and complete units, watch and steer;
- :mod:`db.games`: matches and their games;
- :mod:`db.maintenance`: statistics, integrity check, backup.

Nothing is imported here, so that a program that only shows its help text does not load SQLAlchemy.
"""
