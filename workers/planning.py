"""Cutting a stream of lines into units: some work each, neighbours together.

Neighbouring lines stay in one unit, in their order: they tend to be alike, and what is found for
one helps with the next while it is fresh in the solver's table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.lines import BadLine, Request
from c4core.notation import MAX_BITS
from db.jobs import UnitPlan
from workers import payload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.position import Position

UNIT_SECONDS = 1.0
"""Work that a unit is meant to hold: lost at most when a worker dies, handed out at once."""

UNIT_LINES = 1000
"""Most lines of a unit: its payload and result are read and written as a whole."""


def plan_units(
    lines: Iterable[Request | BadLine], *, unit_lines: int = UNIT_LINES
) -> Iterator[UnitPlan]:
    """Cut lines into units, holding no more than one unit in memory.

    Args:
        lines: in order; their numbers follow one another.
        unit_lines: most lines of a unit.
    """
    unit: list[Request | BadLine] = []
    seconds = 0.0
    for line in lines:
        cost = 0.0 if isinstance(line, BadLine) else expected_seconds(line.position)
        if unit and (seconds + cost > UNIT_SECONDS or len(unit) == unit_lines):
            yield _unit(unit)
            unit, seconds = [], 0.0
        unit.append(line)
        seconds += cost
    if unit:
        yield _unit(unit)


def expected_seconds(position: Position) -> float:
    """What searching a position, columns and all, is expected to take: a rough guess.

    Each empty square makes the search longer by a factor. Positions of one ply differ a
    hundredfold; the sum over a unit is what counts.
    """
    return _SECONDS_BY_EMPTY[position.width * position.height - position.ply]


# Fitted to the means of public benchmark positions on 7x6: 0.2 ms with 14 empty squares, 1 ms with
# 22, 40 ms with 28, 0.3 s with 34.
_SECONDS_BY_EMPTY = [2e-7 * 1.55**empty for empty in range(MAX_BITS + 1)]


def _unit(lines: list[Request | BadLine]) -> UnitPlan:
    positions = sum(1 for line in lines if isinstance(line, Request))
    return UnitPlan(payload.encode(lines), positions)
