"""Evaluations: proven bounds and scores of positions. Callers import everything from here."""

from __future__ import annotations

from db.evaluations.searching import boards, count, search, stream, summary
from db.evaluations.storing import find, find_without_waiting, lookup, store

__all__ = [
    "boards",
    "count",
    "find",
    "find_without_waiting",
    "lookup",
    "search",
    "store",
    "stream",
    "summary",
]
