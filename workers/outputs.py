"""What the units of a job have come to, as objects: the lines of its output, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.decoding import decoding
from db.errors import StorageError
from workers import analysis
from workers.books import units as book_units
from workers.deep import units as deep_units
from workers.matches import units as match_units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from db.records.jobs import JobInfo, UnitResult

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
        job: any.
        unit: one of its units.

    Raises:
        DamagedValueError: the job or the unit holds something else than work of this kind.
        StorageError: the job is of no such kind, or was made by a newer version.
    """
    if job.kind not in OUTPUTS:
        raise StorageError(
            f"job {job.id} is of kind {job.kind!r}, which this version does not know"
        )
    with decoding(f"unit {unit.seq} of job {job.id}"):
        yield from OUTPUTS[job.kind](job, unit)
