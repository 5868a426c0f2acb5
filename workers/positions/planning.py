"""Cutting a stream of lines into units of some seconds of work.

Neighbouring lines stay together, in their order. They tend to be alike, so the transposition table
of one search helps the next one.
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
"""Work in a unit: a worker takes it at once, and loses so much at most when it dies."""

UNIT_LINES = 1000
"""Lines of a unit at most: its payload and its result are read and written as a whole."""


def plan_units(
    lines: Iterable[Request | BadLine], costs: CostModel, *, unit_lines: int = UNIT_LINES
) -> Iterator[UnitPlan]:
    """Cut lines into units, with no more than one unit in memory.

    Args:
        lines: in order, with consecutive numbers.
        costs: the expected costs of positions.
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
