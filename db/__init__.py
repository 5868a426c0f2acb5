"""Storage: every solved position, job, unit of work and game, in SQLite or PostgreSQL.

All SQL of the project lives here. Callers open a :class:`db.database.Database`, take a session from
``read()`` or ``write()`` and give it to the functions of :mod:`db.evaluations`, :mod:`db.jobs` and
:mod:`db.games`. These take and return the plain values of :mod:`db.records`.

Nothing is imported here, so that a program that only shows its help text does not load SQLAlchemy.
"""
