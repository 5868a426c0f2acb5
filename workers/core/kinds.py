"""Kinds of jobs: one object each, in the package of the kind, found by one table.

A new kind is a package with such an object and one line in :data:`KINDS`. Its units are then
claimed, solved, completed, shown and written by whatever drives jobs, here and elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from db.decoding import decoding
from db.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, UnitResult
    from db.session import Session
    from workers.core.outcome import UnitOutcome

    Output = Callable[[JobInfo, UnitResult], Iterator[dict[str, JsonValue]]]
    Continuation = Callable[[Session, Claim, Database], object]

KINDS: Final[dict[str, str]] = {
    "analyze": "workers.positions.kind:ANALYZE",
    "book": "workers.books.kind:BOOK",
    "deep": "workers.deep.kind:DEEP",
    "match": "workers.matches.kind:MATCH",
}
"""Where each kind of job lives, ``"module:attribute"`` by the name that the database keeps."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: what is done with its units, and how people call what is in them."""

    name: str
    """As the database keeps it."""
    noun: str
    """What its units hold, in the singular: ``position``."""
    solve_unit: Callable[..., UnitOutcome]
    """Solves one unit: called with its claim, a searcher, the database and a function that tells
    whether to stop; with the consent to programs too, as ``programs``, if it ``takes_programs``."""
    unit_objects: Output
    """The output of a unit that has come to an end, in order."""
    go_on: Continuation | None = None
    """Plans the next units of a kind that grows, within the transaction that completes one of its
    units and while the job is held."""
    takes_programs: bool = False
    """Whether its units may start programs. No other kind ever gets anybody's consent to it."""
    has_table: bool = False
    """Whether its output is one table: the rows of :func:`workers.positions.results.as_row`."""
    count_unanswered: Callable[[UnitResult], int] | None = None
    """How many lines of a unit's input have no answer, where units have lines of input."""


def find_kind(name: str) -> JobKind | None:
    """The kind of this name; None where this version knows none, as of a newer version's job."""
    if name not in KINDS:
        return None
    module, attribute = KINDS[name].split(":")
    found: JobKind = getattr(import_module(module), attribute)
    return found


def get_kind(name: str) -> JobKind:
    """The kind of this name.

    Raises:
        LookupError: this version knows none.
    """
    found = find_kind(name)
    if found is None:
        raise LookupError(f"this version of c4 knows no kind of job that is called {name!r}")
    return found


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has come to an end, in order, whatever the kind of its job.

    Args:
        job: any.
        unit: one of its units.

    Raises:
        DamagedValueError: the job or the unit holds something else than work of this kind.
        StorageError: the job is of no kind that this version knows.
    """
    kind = find_kind(job.kind)
    if kind is None:
        raise StorageError(
            f"job {job.id} is of kind {job.kind!r}, which this version does not know"
        )
    with decoding(f"unit {unit.seq} of job {job.id}"):
        yield from kind.unit_objects(job, unit)
