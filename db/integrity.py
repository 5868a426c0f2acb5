"""The integrity check: does a database hold what it promises?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, or_, select, text

from c4core import Position
from c4core.errors import KeyValueError
from db.errors import CorruptError
from db.evaluation_columns import check_row, full_column_bits
from db.evaluation_rows import EvaluationFilter
from db.evaluation_search import boards, stream
from db.game_integrity import match_faults
from db.job_planners import is_abandoned
from db.job_records import JobState
from db.models import Job, Unit
from db.unit_conditions import LEASED, QUEUED, lease_ran_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from db.database import Database
    from db.evaluation_rows import StoredEvaluation


class Problem(NamedTuple):
    """Something that is not as it should be."""

    kind: str
    """``damage`` (pages), ``reference`` (a row whose other half is missing), ``evaluation``,
    ``job``, ``lease`` (a unit whose worker was not heard of in time), or ``match`` (games that are
    missing, or against the rules)."""
    message: str


def check(database: Database) -> Iterator[Problem]:
    """Look at everything: pages, references, every evaluation, jobs, leases, every game.

    Problems come as they are found; none at all is the good answer.

    Raises:
        StorageError: the database could not be read to the end, for a reason other than damage.
    """
    try:
        with database.read() as session:
            if database.dialect == "sqlite":
                yield from _pages(session)
                yield from _references(session)
            yield from _evaluations(session)
            yield from _jobs(session)
            yield from _leases(session)
            for fault in match_faults(session):
                yield Problem("match", fault)
    except CorruptError as error:
        yield Problem("damage", str(error))


def _pages(session: Session) -> Iterator[Problem]:
    for line in session.scalars(text("PRAGMA integrity_check")):
        if line != "ok":
            yield Problem("damage", line)


def _references(session: Session) -> Iterator[Problem]:
    for table, row, parent, _ in session.execute(text("PRAGMA foreign_key_check")):
        yield Problem("reference", f"row {row} of {table} refers to a missing row of {parent}")


def _evaluations(session: Session) -> Iterator[Problem]:
    for board in boards(session):
        full_bits = full_column_bits(board)
        for row in stream(session, EvaluationFilter(board=board)):
            try:
                check_row(row, board, full_bits)
                wrong = _fault(row)
            except (KeyValueError, ValueError) as error:
                wrong = str(error)
            if wrong is not None:
                yield Problem("evaluation", f"position {row.key} of {board}: {wrong}")


def _fault(row: StoredEvaluation) -> str | None:
    """What contradicts the rules of the game in a stored row, if anything.

    Raises:
        KeyValueError: the key is no position's.
    """
    position = Position.from_key(row.key, width=row.width, height=row.height)
    if position.canonical_key != row.key:
        return "the key is not canonical"
    if position.ply != row.ply:
        return f"it has {position.ply} stones, the row says {row.ply}"
    cells = row.width * row.height
    # A game that is over was won by the stone before.
    worst = -((cells + 2 - row.ply) // 2 if position.is_over else (cells - row.ply) // 2)
    if row.lower < worst or row.upper > (cells + 1 - row.ply) // 2:
        return f"no score {row.lower}..{row.upper} is possible after {row.ply} stones"
    known = [score for score in row.scores or () if score is not None]
    if known and not row.lower == row.upper == max(known):
        return f"bounds {row.lower}..{row.upper}, but the best column scores {max(known)}"
    return None


def _jobs(session: Session) -> Iterator[Problem]:
    has_open_unit = select(Unit.id).where(Unit.job_id == Job.id, or_(QUEUED, LEASED)).exists()
    idle = select(Job.id).where(Job.state == JobState.RUNNING, ~has_open_unit)
    for job_id in session.scalars(idle):
        yield Problem("job", f"job {job_id} is running, but has nothing left to do")
    closed = [JobState.DONE, JobState.FAILED, JobState.CANCELLED]
    for job_id, state in session.execute(
        select(Job.id, Job.state).where(Job.state.in_(closed), has_open_unit)
    ):
        yield Problem("job", f"job {job_id} is {state}, but has units that are not")
    for job_id in session.scalars(select(Job.id).where(is_abandoned(session)).order_by(Job.id)):
        remedy = f"c4 jobs cancel {job_id}"
        yield Problem("job", f"job {job_id} has been left in the midst of its planning: {remedy}")
    gaps = select(Unit.job_id).group_by(Unit.job_id).having(func.max(Unit.seq) >= func.count())
    for job_id in session.scalars(gaps):
        yield Problem("job", f"job {job_id} has lost units: there are gaps in their numbers")


def _leases(session: Session) -> Iterator[Problem]:
    lapsed = (
        select(Unit.job_id, Unit.seq, Unit.owner)
        .join(Job, Unit.job_id == Job.id)
        .where(lease_ran_out(session))
        .order_by(Unit.job_id, Unit.seq)
    )
    for job_id, seq, owner in session.execute(lapsed):
        yield Problem(
            "lease", f"unit {seq} of job {job_id}: its lease has run out, {owner} went silent"
        )
