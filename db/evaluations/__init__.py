"""Evaluations: proven bounds and scores of positions. Callers import everything from here."""

from __future__ import annotations

from db.evaluations.searching import (
    boards as boards,
    costly as costly,
    count as count,
    search as search,
    stream as stream,
    summary as summary,
)
from db.evaluations.storing import (
    find as find,
    find_without_waiting as find_without_waiting,
    lookup as lookup,
    store as store,
)
