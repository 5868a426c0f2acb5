"""Cutting a stream of lines into units: some work each, neighbours together.

Neighbouring lines stay in one unit, in their order. They tend to be alike, so what is in the
transposition table after one search helps with the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.lines import BadLine, Request
from db.records.jobs import UnitPlan
from workers.positions import payload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workers.positions.costs import CostModel

UNIT_SECONDS = 1.0
"""Work in a unit: what a worker takes at once, and what is lost at most when it dies."""

UNIT_LINES = 1000
"""Lines of a unit at most: its payload and its result are read and written as a whole."""


def plan_units(
    lines: Iterable[Request | BadLine], costs: CostModel, *, unit_lines: int = UNIT_LINES
) -> Iterator[UnitPlan]:
    """Cut lines into units, holding no more than one unit in memory.

    Args:
        lines: in order; their numbers follow one another.
        costs: what positions are expected to take.
        unit_lines: lines of a unit at most.
    """
    unit: list[Request | BadLine] = []
    seconds = 0.0
    for line in lines:
        cost = 0.0 if isinstance(line, BadLine) else costs.seconds(line.position.ply)
        if unit and (seconds + cost > UNIT_SECONDS or len(unit) == unit_lines):
            yield _unit(unit, seconds)
            unit, seconds = [], 0.0
        unit.append(line)
        seconds += cost
    if unit:
        yield _unit(unit, seconds)


def _unit(lines: list[Request | BadLine], seconds: float) -> UnitPlan:
    positions = sum(1 for line in lines if isinstance(line, Request))
    return UnitPlan(payload.encode(lines), positions, expected_seconds=seconds)
