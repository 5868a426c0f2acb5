"""Alembic migrations; :mod:`db.schema` runs them."""
