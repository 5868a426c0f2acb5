"""Kinds of jobs: each is one object in the package of the kind, and one line of a table.

A new kind is a package with such an object, and a line in :data:`KINDS`. Everything that drives
jobs then claims, solves, completes, shows and writes its units, too.
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
    from db.database import Database, Session
    from db.records.jobs import Claim, JobInfo, UnitResult
    from workers.core.outcome import UnitOutcome

    Output = Callable[[JobInfo, UnitResult], Iterator[dict[str, JsonValue]]]
    Continuation = Callable[[Session, Claim, Database], object]

KINDS: Final[dict[str, str]] = {
    "analyze": "workers.positions.kind:ANALYZE",
    "book": "workers.books.kind:BOOK",
    "deep": "workers.deep.kind:DEEP",
    "match": "workers.matches.kind:MATCH",
    "prove": "workers.certificates.kind:PROVE",
}
"""The place of each kind, ``"module:attribute"``, by its name in the database."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: the work on its units, and the word for their contents."""

    name: str
    """The name in the database."""
    noun: str
    """The word for a unit's contents, in the singular: ``position``."""
    solve_unit: Callable[..., UnitOutcome]
    """Solves one unit. It gets the claim, a searcher, the database, a function that tells whether
    to stop, and, if the kind ``takes_programs``, the consent to programs as ``programs``."""
    unit_objects: Output
    """The output of a unit that has come to an end, in order."""
    go_on: Continuation | None = None
    """Plans the next units of a growing job, within the transaction that completes one of its units
    and while the job is held."""
    takes_programs: bool = False
    """Whether its units may start programs. No other kind gets the consent to do so."""
    has_table: bool = False
    """Whether its output is one table: the rows of :func:`workers.positions.results.as_row`."""
    count_unanswered: Callable[[UnitResult], int] | None = None
    """Counts the lines of a unit without an answer; None if its units have no lines of input."""


def find_kind(name: str) -> JobKind | None:
    """The kind of this name; None if this version does not know it, as in a newer version's job."""
    if name not in KINDS:
        return None
    module, attribute = KINDS[name].split(":")
    found: JobKind = getattr(import_module(module), attribute)
    return found


def get_kind(name: str) -> JobKind:
    """The kind of this name.

    Raises:
        LookupError: this version does not know it.
    """
    found = find_kind(name)
    if found is None:
        raise LookupError(f"this version of c4 knows no kind of job that is called {name!r}")
    return found


def independent_kinds() -> list[str]:
    """The kinds whose units can be solved again by themselves; jobs of the others grow."""
    return [name for name in KINDS if get_kind(name).go_on is None]


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has ended, in order, for all kinds of jobs.

    Args:
        job: any.
        unit: one of its units.

    Raises:
        DamagedValueError: the job or the unit cannot be read as one of this kind.
        StorageError: this version does not know the kind of the job.
    """
    kind = find_kind(job.kind)
    if kind is None:
        raise StorageError(
            f"job {job.id} is of kind {job.kind!r}, which this version does not know"
        )
    with decoding(f"unit {unit.seq} of job {job.id}"):
        yield from kind.unit_objects(job, unit)
