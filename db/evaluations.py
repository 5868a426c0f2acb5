"""Evaluations: store, look up, search and stream. The face of the modules that do it."""

from __future__ import annotations

from db.evaluation_rows import (
    Cursor,
    EvaluationFilter,
    Order,
    Page,
    PlySummary,
    StoredEvaluation,
)
from db.evaluation_search import boards, count, search, stream, summary
from db.evaluation_store import find, lookup, store

__all__ = [
    "Cursor",
    "EvaluationFilter",
    "Order",
    "Page",
    "PlySummary",
    "StoredEvaluation",
    "boards",
    "count",
    "find",
    "lookup",
    "search",
    "store",
    "stream",
    "summary",
]
