"""Evaluations: store, look up, search and stream. The face of the modules that do it."""

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
