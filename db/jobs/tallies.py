"""Sums over the units of jobs, state by state.

Each state has a query of its own, and an index that holds the summed columns. So a job's progress
can be read several times a second without reading its units. Measured with 100,000 units done: 29
ms instead of 110 in SQLite, 20 instead of 65 in PostgreSQL.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from db.jobs.conditions import CANCELLED, DONE, FAILED, LEASED, QUEUED
from db.jobs.pace import Load
from db.models import Unit
from db.records.jobs import UnitState

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

_OPEN: Final[dict[UnitState, ColumnElement[bool]]] = {
    UnitState.QUEUED: QUEUED,
    UnitState.LEASED: LEASED,
}
_CLOSED: Final[dict[UnitState, ColumnElement[bool]]] = {
    UnitState.FAILED: FAILED,
    UnitState.CANCELLED: CANCELLED,
}


class Tally:
    """Sums over a job's units."""

    def __init__(self) -> None:
        self.units = dict.fromkeys(UnitState, 0)
        self.positions = dict.fromkeys(UnitState, 0)
        self.left = Load()
        self.nodes = 0
        self.seconds = 0.0


def read_tallies(session: Session, job_ids: Collection[int]) -> defaultdict[int, Tally]:
    """The tallies of some jobs, by their numbers."""
    tallies: defaultdict[int, Tally] = defaultdict(Tally)
    connection = session.connection()
    counts = (
        select(Unit.job_id, func.count(), func.sum(Unit.positions))
        .where(Unit.job_id.in_(job_ids))
        .group_by(Unit.job_id)
    )
    for state, condition in _OPEN.items():
        query = counts.add_columns(func.sum(Unit.expected_seconds)).where(condition)
        for job_id, units, positions, expected_seconds in connection.execute(query):
            tally = tallies[job_id]
            tally.units[state], tally.positions[state] = units, int(positions)
            tally.left += Load(int(positions), expected_seconds)
    for state, condition in _CLOSED.items():
        for job_id, units, positions in connection.execute(counts.where(condition)):
            tally = tallies[job_id]
            tally.units[state], tally.positions[state] = units, int(positions)
    query = counts.add_columns(func.sum(Unit.nodes), func.sum(Unit.seconds)).where(DONE)
    for job_id, units, positions, nodes, seconds in connection.execute(query):
        tally = tallies[job_id]
        tally.units[UnitState.DONE], tally.positions[UnitState.DONE] = units, int(positions)
        tally.nodes, tally.seconds = int(nodes), seconds  # PostgreSQL sums bigint as a decimal
    return tallies
