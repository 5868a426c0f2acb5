"""The integrity check as a whole: it looks at everything, and lists the problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, or_, select, text

from db.errors import BusyError, DiskFullError, ReadOnlyError, StorageError, UnreachableError
from db.integrity import evaluations, schema
from db.integrity.games import match_faults
from db.integrity.rows import row_faults, seal_faults
from db.jobs.sharing import is_abandoned
from db.jobs.state import LEASED, QUEUED, lease_ran_out
from db.models import Job, Unit
from db.records.jobs import JobState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.orm import Session

    from db.database import Database

    Look = Callable[[Session], Iterator[str]]

_NO_ANSWER = (UnreachableError, BusyError, DiskFullError, ReadOnlyError)
# These errors say nothing about the stored data.


NOTE: Final = "note"
"""The kind of what is no fault."""


class Problem(NamedTuple):
    """A fault that the check has found, or a note."""

    kind: str
    """``damage`` (a page or a value cannot be read), ``schema`` (a table, a column or an index),
    ``row`` (its values have changed since they were stored), ``reference`` (a row refers to one
    that is missing), ``evaluation``, ``job``, ``match`` (games are missing, or against the rules),
    or ``note`` (no fault: a unit's lease has run out)."""
    message: str


def check(database: Database) -> Iterator[Problem]:
    """Check everything: pages, schema, references, every row, jobs, leases, every game.

    Problems are yielded as they are found; a sound database has none. Damage is reported as a
    problem and does not raise an error.

    Raises:
        StorageError: the database does not answer any more; this says nothing about damage.
    """
    looks: list[tuple[str, Look]] = [
        ("schema", schema.faults),
        ("row", row_faults),
        ("row", seal_faults),
        ("evaluation", evaluations.faults),
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

    Args:
        database: any.
        number: how many, chosen at random; all if there are fewer.
        seed: the same seed chooses the same ones.
        seconds: the limit for one position. What is proven by then must not contradict what is
            stored.

    Yields:
        For every evaluation: a problem, or None.
    """
    with database.read() as session:
        rows = evaluations.sample(session, number, seed)
    for row, fault in evaluations.resolve(rows, seconds=seconds):
        where = f"position {row.key} of {row.width}x{row.height}"
        yield None if fault is None else Problem("evaluation", f"{where}: {fault}")


def _look(database: Database, kind: str, look: Look) -> Iterator[Problem]:
    """The problems that one look finds. Damage may end it early."""
    try:
        with database.read() as session:
            for message in look(session):
                yield Problem(kind, message)
    except _NO_ANSWER:
        raise
    except StorageError as error:
        yield Problem("damage", str(error))
    except Exception as error:  # noqa: BLE001 (a damaged file may give any value anywhere)
        yield Problem("damage", f"the check ({kind}) could not go on: {error!r}")


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
        yield f"job {job_id} has been left in the midst of its planning: {remedy}"
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
            f"unit {seq} of job {job_id}: its lease has run out, {owner} went silent; "
            "the next worker does it"
        )
