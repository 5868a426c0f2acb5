"""Check a database: read everything and list the problems. Repair it: drop what can be recreated.

A repair drops these rows: evaluations, which are solved again on demand; bounds that workers share,
measured costs and heartbeats of workers, which are written again. A unit whose
result is damaged is queued again if its payload and its job's parameters are sound. Sound rows
stay: every row is checked once more in the transaction that deletes it.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sqlalchemy import create_engine, delete, func, inspect, not_, or_, select, text, tuple_

from db.errors import PASSING_FAULTS, DamagedValueError, StorageError
from db.integrity.rows import (
    broken_seals,
    changed_rows,
    drop_faulty,
    evaluation_faults,
    faulty_evaluations,
    match_faults,
    resolve,
    row_faults,
    sample,
    seal_faults,
)
from db.jobs.state import LEASED, QUEUED, is_abandoned, lease_ran_out, redo_unit
from db.models import Base, Job, SharedBounds, Unit
from db.records.jobs import JobState
from db.schema import migrate
from db.types import CHECKSUM, as_stored, has_changed, unseal_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from sqlalchemy import Connection, Table
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from db.database import Database

    Look = Callable[[Session], Iterator[str]]

NOTE: Final = "note"
"""The kind of a problem that is not a fault."""

VIEWS: Final = ("c4_games", "c4_jobs", "c4_positions")
"""Views for other programs; see docs/sql.md."""

_SQLITE_OBJECTS: Final = text("SELECT type, name, tbl_name, sql FROM sqlite_schema")

_POSTGRESQL_TRIGGERS: Final = text(
    "SELECT tgname, relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
    "WHERE NOT tgisinternal AND pg_table_is_visible(tgrelid) ORDER BY tgname"
)


_DROPPED: Final = ("evaluations", "shared_bounds", "costs", "workers")
"""The tables whose changed rows are dropped."""

_BATCH: Final = 1_000
"""Maximum number of evaluations that one transaction drops."""


class Problem(NamedTuple):
    """A fault that the check has found, or a note."""

    kind: str
    """``damage`` (a page or a value cannot be read), ``schema`` (a table, a column or an index),
    ``row`` (its values have changed since they were stored), ``reference`` (a row refers to one
    that is missing), ``evaluation``, ``job``, ``match`` (games are missing, or against the rules),
    or ``note`` (no fault: a unit's lease has run out)."""
    message: str


class Repair(NamedTuple):
    """The outcome for one problem."""

    action: Literal["dropped", "queued again", "remains"]
    kind: str
    """The kind of a :class:`~Problem`."""
    message: str


def check(database: Database) -> Iterator[Problem]:
    """Check everything: pages, schema, references, every row, jobs, leases, every game.

    Problems are yielded as they are found; a sound database has none. Damage is reported as a
    problem and does not raise an error.

    Raises:
        StorageError: the database does not answer any more; this says nothing about damage.
    """
    looks: list[tuple[str, Look]] = [
        ("schema", schema_faults),
        ("row", row_faults),
        ("row", seal_faults),
        ("evaluation", evaluation_faults),
        ("job", _jobs),
        (NOTE, _leases),
        ("match", match_faults),
    ]
    if database.dialect == "sqlite":
        looks = [("damage", _pages), ("reference", _references), *looks]
    for kind, look in looks:
        yield from _look(database, kind, look)


def solve_again(
    database: Database, number: int, *, seed: int = 0, seconds: float = 10.0
) -> Iterator[Problem | None]:
    """Search some stored evaluations once more, and compare the results.

    They are chosen at random; the same seed chooses the same ones. ``seconds`` limits the search of
    one position: its result must not contradict the stored evaluation.

    Yields:
        For every evaluation: a problem, or None.
    """
    with database.read() as session:
        rows = sample(session, number, seed)
    for row, fault in resolve(rows, seconds=seconds):
        where = f"position {row.key} of {row.width}x{row.height}"
        yield None if fault is None else Problem("evaluation", f"{where}: {fault}")


def _look(database: Database, kind: str, look: Look) -> Iterator[Problem]:
    """The problems that one check finds. Damage may end it early."""
    try:
        with database.read() as session:
            for message in look(session):
                yield Problem(kind, message)
    except PASSING_FAULTS:  # these say nothing about the stored data
        raise
    except StorageError as error:
        yield Problem("damage", str(error))
    except Exception as error:  # noqa: BLE001 (a damaged file may cause any error)
        yield Problem("damage", f"the check ({kind}) could not continue: {error!r}")


def _pages(session: Session) -> Iterator[str]:
    for line in session.scalars(text("PRAGMA integrity_check")):
        if line != "ok":
            yield line


def _references(session: Session) -> Iterator[str]:
    for table, row, parent, _ in session.execute(text("PRAGMA foreign_key_check")):
        which = "a row" if row is None else f"row {row}"
        yield f"{which} of {table} refers to a missing row of {parent}"


def _jobs(session: Session) -> Iterator[str]:
    has_open_unit = select(Unit.id).where(Unit.job_id == Job.id, or_(QUEUED, LEASED)).exists()
    closed = [JobState.DONE, JobState.FAILED, JobState.CANCELLED]
    for job_id, state in session.execute(
        select(Job.id, Job.state).where(Job.state.in_(closed), has_open_unit)
    ):
        yield f"job {job_id} is {state}, but has units that are not"
    for job_id in session.scalars(select(Job.id).where(is_abandoned(session)).order_by(Job.id)):
        remedy = f"c4 jobs cancel {job_id}"
        yield f"job {job_id} was abandoned while it was being planned: {remedy}"
    gaps = select(Unit.job_id).group_by(Unit.job_id).having(func.max(Unit.seq) >= func.count())
    for job_id in session.scalars(gaps):
        yield f"job {job_id} has lost units: there are gaps in their numbers"


def _leases(session: Session) -> Iterator[str]:
    lapsed = (
        select(Unit.job_id, Unit.seq, Unit.owner)
        .join(Job, Unit.job_id == Job.id)
        .where(lease_ran_out(session))
        .order_by(Unit.job_id, Unit.seq)
    )
    for job_id, seq, owner in session.execute(lapsed):
        yield (
            f"unit {seq} of job {job_id}: its lease has run out: {owner} no longer renews it; "
            "the next worker takes it over"
        )


def schema_faults(session: Session) -> Iterator[str]:
    """Report what is missing, what differs, and which triggers c4 did not create.

    Tables, indexes and views that users have added do not count.
    """
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        yield from _sqlite_faults(connection)
    else:
        yield from _postgresql_faults(connection)


def _sqlite_faults(connection: Connection) -> Iterator[str]:
    found = _sqlite_objects(connection)
    for (kind, name), (_, sql) in _wanted_sqlite_objects().items():
        if (kind, name) not in found:
            yield f"{kind} {name} is missing"
        elif found[kind, name][1] != sql:
            yield f"{kind} {name} differs from its definition in c4"
    for (kind, name), (table, _) in found.items():
        if kind == "trigger" and table in Base.metadata.tables:
            yield f"table {table} has a trigger {name}, which c4 does not create"


@cache
def _wanted_sqlite_objects() -> dict[tuple[str, str], tuple[str, str]]:
    engine = create_engine("sqlite://")
    try:
        with engine.begin() as scratch:
            migrate(scratch)
            return _sqlite_objects(scratch)
    finally:
        engine.dispose()


def _sqlite_objects(connection: Connection) -> dict[tuple[str, str], tuple[str, str]]:
    """Tables and statements by type and name of the object, without spaces and quotes."""
    return {
        (kind, name): (table, re.sub(r'[\s"]', "", sql or ""))
        for kind, name, table, sql in connection.execute(_SQLITE_OBJECTS)
    }


def _postgresql_faults(connection: Connection) -> Iterator[str]:
    # Importing Alembic would double the start-up time of the program.
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415
    from alembic.migration import MigrationContext  # noqa: PLC0415

    context = MigrationContext.configure(connection, opts={"include_object": _is_ours})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about generated columns, which cannot be changed
        for change in compare_metadata(context, Base.metadata):
            yield f"the schema differs: {_describe(change)}"
    inspector = inspect(connection)
    for view in sorted(set(VIEWS) - set(inspector.get_view_names())):
        yield f"view {view} is missing"
    for table in Base.metadata.tables:
        columns = {column["name"]: column for column in inspector.get_columns(table)}
        if "computed" not in columns.get(CHECKSUM, {}):
            yield f"table {table}: its checksum is not generated"
    for trigger, table in connection.execute(_POSTGRESQL_TRIGGERS):
        if table in Base.metadata.tables:
            yield f"table {table} has a trigger {trigger}, which c4 does not create"


def _is_ours(
    _thing: object,
    name: str | None,
    kind: str,
    is_found: bool,  # noqa: FBT001 (as Alembic calls it)
    counterpart: object,
) -> bool:
    """Whether a difference counts; additions by users do not."""
    del name, kind
    return not (is_found and counterpart is None)


def _describe(change: Any) -> str:  # noqa: ANN401 (Alembic's tuples, or lists of them)
    first = change[0] if isinstance(change, list) else change
    verb, *rest = first
    return " ".join(
        [
            str(verb).replace("_", " "),
            *(str(getattr(each, "name", each)) for each in rest if each is not None),
        ]
    )


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
