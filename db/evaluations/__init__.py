"""Evaluations: what is proven about positions. Callers import everything from here.

- :mod:`db.evaluations.storing`: merge evaluations into what is stored, and look up keys;
- :mod:`db.evaluations.searching`: search, stream and summarise;
- :mod:`db.evaluations.merging`: the one rule for merging, in Python and as SQL;
- :mod:`db.evaluations.columns`: rows of the table, to and from Python;
- :mod:`db.evaluations.driver_query`: queries that go to the driver without SQLAlchemy's overhead;
- ``upsert_sqlite``, ``upsert_postgresql``: how many rows are merged at once.
"""

from __future__ import annotations

from db.evaluations.searching import boards, count, search, stream, summary
from db.evaluations.storing import find, lookup, store

__all__ = [
    "boards",
    "count",
    "find",
    "lookup",
    "search",
    "store",
    "stream",
    "summary",
]
