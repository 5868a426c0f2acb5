"""Bulk upsert of evaluations into SQLite: one prepared statement, run for every row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam
from sqlalchemy.dialects import sqlite

from db.evaluations.columns import COLUMN_NAMES
from db.evaluations.merging import merged_columns
from db.models import Evaluation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from db.evaluations.columns import ColumnValues


def _statement() -> str:
    insert = sqlite.insert(Evaluation).values({name: bindparam(name) for name in COLUMN_NAMES})
    values, changes = merged_columns(insert.excluded)
    upsert = insert.on_conflict_do_update(
        index_elements=["width", "height", "key"], set_=values, where=changes
    )
    return str(upsert.compile(dialect=sqlite.dialect()))


_UPSERT: Final = _statement()


def upsert(connection: Connection, rows: Sequence[ColumnValues]) -> int:
    """Merge rows that are sorted and have no key twice; the number of rows new or changed."""
    return connection.exec_driver_sql(_UPSERT, list(rows)).rowcount
