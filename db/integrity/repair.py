"""Drop damaged rows that can be recreated; leave everything else as it is.

These rows are dropped: evaluations, which are solved again on demand; bounds that workers share,
measured costs, heartbeats of workers and times of duties, which are written again. A unit whose
result is damaged is queued again if its payload and its job's parameters are sound. Sound rows
stay: every row is checked once more in the transaction that deletes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sqlalchemy import delete, not_, select, tuple_

from db.errors import DamagedValueError
from db.integrity.check import NOTE, check
from db.integrity.rows import broken_seals, changed_rows, drop_faulty, faulty_evaluations
from db.jobs.control import redo_unit
from db.models import Base, Job, SharedBounds, Unit
from db.types import as_stored, has_changed, unseal_stored

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sqlalchemy import Table
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from db.database import Database

_DROPPED: Final = ("evaluations", "shared_bounds", "costs", "workers", "duties")
"""The tables whose changed rows are dropped."""

_BATCH: Final = 1_000
"""Maximum number of evaluations that one transaction drops."""


class Repair(NamedTuple):
    """The outcome for one problem."""

    action: Literal["dropped", "queued again", "remains"]
    kind: str
    """The kind of a :class:`~db.integrity.check.Problem`."""
    message: str


def repair(database: Database, kinds: Collection[str]) -> Iterator[Repair]:
    """Drop damaged rows that can be recreated, then check everything and report what remains.

    Other processes may use the database at the same time. ``kinds`` are the kinds of jobs whose
    units can be solved again independently.

    Raises:
        ReadOnlyError: the database cannot be written.
        StorageError: the database does not answer any more.
    """
    for name in _DROPPED:
        yield from _drop_changed(database, Base.metadata.tables[name])
    yield from _drop_unreadable_bounds(database)
    yield from _drop_impossible(database)
    yield from _solve_units_again(database, kinds)
    for problem in check(database):
        if problem.kind != NOTE:
            yield Repair("remains", *problem)


def _drop_changed(database: Database, table: Table) -> Iterator[Repair]:
    """Drop the rows of a table with wrong checksums, or with values of wrong types."""
    with database.read() as session:
        if next(changed_rows(session, table), None) is None:
            return
    with database.write() as session:
        dropped = list(changed_rows(session, table))
        session.connection().execute(delete(table).where(has_changed(session, table)))
    for row in dropped:
        yield Repair("dropped", "row", f"{row.name} {row.fault}")


def _drop_unreadable_bounds(database: Database) -> Iterator[Repair]:
    table = Base.metadata.tables[SharedBounds.__tablename__]
    with database.read() as session:
        found = list(broken_seals(session, table, table.c.bounds))
    for row in found:
        if row.key is not None:  # such a row never changes once it is written
            with database.write() as session:
                is_row = tuple_(*table.primary_key) == row.key
                session.connection().execute(delete(table).where(is_row))
            yield Repair("dropped", "row", f"{row.name}: {row.fault}")


def _drop_impossible(database: Database) -> Iterator[Repair]:
    """Drop evaluations that cannot be true, or whose column scores have changed."""
    with database.read() as session:
        found = list(faulty_evaluations(session))
    for start in range(0, len(found), _BATCH):
        with database.write() as session:
            dropped = list(drop_faulty(session, found[start : start + _BATCH]))
        for message in dropped:
            yield Repair("dropped", "evaluation", message)


def _solve_units_again(database: Database, kinds: Collection[str]) -> Iterator[Repair]:
    """Queue units again whose result has changed, if their payload and job are sound."""
    table = Base.metadata.tables[Unit.__tablename__]
    with database.read() as session:
        found = list(broken_seals(session, table, table.c.result))
    for row in found:
        with database.write() as session:
            is_open = (
                row.key is not None
                and _has_sound_question(session, row.key[0], kinds)
                and redo_unit(session, row.key[0])
            )
        if is_open:
            yield Repair("queued again", "row", f"{row.name}: {row.fault}")


def _has_sound_question(session: Session, unit_id: int, kinds: Collection[str]) -> bool:
    """Whether a unit and its job are unchanged since they were planned."""
    unit = _sound_row(session, Unit, unit_id, Unit.job_id, Unit.payload)
    job = None if unit is None else _sound_row(session, Job, unit[0], Job.kind, Job.params)
    return job is not None and job[0] in kinds


def _sound_row(
    session: Session,
    model: type[Job | Unit],
    number: int,
    column: InstrumentedAttribute[Any],
    sealed: InstrumentedAttribute[Any],
) -> tuple[Any, Any] | None:
    """Two columns of a row, one of them a JSON object; None if the row has changed."""
    is_sound = not_(has_changed(session, Base.metadata.tables[model.__tablename__]))
    query = select(column, as_stored(session, sealed)).where(model.id == number, is_sound)
    found = session.execute(query).one_or_none()
    try:
        return None if found is None else (found[0], unseal_stored(found[1], needs_seal=True))
    except DamagedValueError:
        return None
