"""What the units of a job have come to, as objects: the lines of its output, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers import analysis
from workers.books import units as book_units
from workers.deep import units as deep_units
from workers.matches import units as match_units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from db.jobs import JobInfo, UnitResult

    Output = Callable[[JobInfo, UnitResult], Iterator[dict[str, JsonValue]]]

OUTPUTS: dict[str, Output] = {
    analysis.KIND: analysis.unit_objects,
    book_units.KIND: book_units.unit_objects,
    match_units.KIND: match_units.unit_objects,
    deep_units.KIND: deep_units.unit_objects,
}
"""Who writes the results of the units of a kind of job."""


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has come to an end, in order.

    Args:
        job: of a kind that this program knows.
        unit: one of its units.
    """
    return OUTPUTS[job.kind](job, unit)
