"""Check a database: let it verify itself, and look for rows that contradict each other.

The database detects damage: SQLite by ``PRAGMA integrity_check``, PostgreSQL by the checksums of
its pages. Only another search finds a wrong score.
"""

from __future__ import annotations

import random
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, func, not_, or_, select, text

from c4core import Position, Solver
from c4core.errors import C4Error
from db.errors import PASSING_FAULTS, StorageError
from db.evaluations.rows import COLUMNS, PLACE, DriverQuery, decode
from db.games.matches import get_terms
from db.jobs.control import LEASED, QUEUED
from db.models import Base, Evaluation, Game, Job, Match, Unit
from db.records.jobs import JobState
from db.records.matches import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.orm import Session

    from db.database import Database
    from db.records.evaluations import StoredEvaluation

NOTE: Final = "note"
"""The kind of a problem that is not a fault."""

_ROWS: Final = 2_000
"""Number of evaluations fetched at a time."""

_TABLE_MB: Final = 64

_POSTGRESQL_CHECKSUMS: Final = text(
    "SELECT current_setting('data_checksums') = 'on', coalesce(checksum_failures, 0) "
    "FROM pg_stat_database WHERE datname = current_database()"
)

_CELLS: Final = Evaluation.width * Evaluation.height
_IS_IMPOSSIBLE: Final = or_(
    not_(Evaluation.ply.between(0, _CELLS)),
    # A game that is over was lost one stone earlier than any other position of its ply.
    Evaluation.lower < -((_CELLS + 2 - Evaluation.ply) // 2),
    Evaluation.upper > (_CELLS + 1 - Evaluation.ply) // 2,
    and_(
        Evaluation.scores.is_not(None),
        or_(
            Evaluation.lower != Evaluation.upper,
            func.length(Evaluation.scores) != Evaluation.width,
        ),
    ),
)


class Problem(NamedTuple):
    """A fault that the check has found, or a note."""

    kind: str
    """``damage`` (a page or a value cannot be read), ``reference`` (a row refers to one that is
    missing), ``evaluation``, ``job``, ``match`` (games are missing), or ``note`` (no fault:
    PostgreSQL does not detect damage)."""
    message: str


def check(database: Database) -> Iterator[Problem]:
    """Check everything but scores: pages, references, evaluations, jobs, matches.

    Problems are yielded as they are found; a sound database has none. Damage is reported as a
    problem and does not raise an error.

    Raises:
        StorageError: the database does not answer any more; this says nothing about damage.
    """
    looks = [("evaluation", _evaluations), ("job", _jobs), ("match", _matches)]
    if database.dialect == "sqlite":
        looks = [("damage", _sqlite_pages), ("reference", _sqlite_references), *looks]
    else:
        looks = [("damage", _postgresql_pages), (NOTE, _postgresql_settings), *looks]
    for kind, look in looks:
        yield from _look(database, kind, look)


def _look(
    database: Database, kind: str, look: Callable[[Session], Iterator[str]]
) -> Iterator[Problem]:
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


def _sqlite_pages(session: Session) -> Iterator[str]:
    for line in session.scalars(text("PRAGMA integrity_check")):
        if line != "ok":
            yield line


def _sqlite_references(session: Session) -> Iterator[str]:
    for table, row, parent, _ in session.execute(text("PRAGMA foreign_key_check")):
        which = "a row" if row is None else f"row {row}"
        yield f"{which} of {table} refers to a missing row of {parent}"


def _postgresql_pages(session: Session) -> Iterator[str]:
    for table in Base.metadata.sorted_tables:
        # Counting complete rows reads every page, and PostgreSQL refuses a damaged one.
        session.execute(select(func.count(table.table_valued())))
    _, failures = session.execute(_POSTGRESQL_CHECKSUMS).one()
    if failures:
        yield f"PostgreSQL has found {failures:,} damaged pages since its statistics were reset"


def _postgresql_settings(session: Session) -> Iterator[str]:
    is_on, _ = session.execute(_POSTGRESQL_CHECKSUMS).one()
    if not is_on:
        yield "data_checksums is off: PostgreSQL does not detect changes of its files"


def _evaluations(session: Session) -> Iterator[str]:
    query = select(*COLUMNS).where(_IS_IMPOSSIBLE).order_by(*PLACE)
    for row in decode(session.connection().execute(query).all()):
        yield (
            f"position {row.key} of {row.width}x{row.height}: bounds {row.lower} to {row.upper} "
            f"or the column scores are impossible after {row.ply} stones"
        )


def _jobs(session: Session) -> Iterator[str]:
    has_open_unit = select(Unit.id).where(Unit.job_id == Job.id, or_(QUEUED, LEASED)).exists()
    closed = [JobState.DONE, JobState.FAILED, JobState.CANCELLED]
    for job_id, state in session.execute(
        select(Job.id, Job.state).where(Job.state.in_(closed), has_open_unit)
    ):
        yield f"job {job_id} is {state}, but has units that are not"
    gaps = select(Unit.job_id).group_by(Unit.job_id).having(func.max(Unit.seq) >= func.count())
    for job_id in session.scalars(gaps):
        yield f"job {job_id} has lost units: there are gaps in their numbers"


def _matches(session: Session) -> Iterator[str]:
    for match_id in session.scalars(select(Match.id).where(~Match.is_whole).order_by(Match.id)):
        yield f"match {match_id}: its import is under way, or was interrupted"
    finished = (
        select(Match.id, func.count(Game.number))
        .outerjoin(Job, Match.job_id == Job.id)
        .outerjoin(Game, Game.match_id == Match.id)
        .where(
            Match.is_whole,
            Match.verdict.is_(None),
            or_(Match.origin == Origin.IMPORTED.value, Job.state == JobState.DONE),
        )
        .group_by(Match.id)
        .order_by(Match.id)
    )
    for match_id, number in session.execute(finished).all():
        games = get_terms(session, match_id).games
        if number != games:
            yield f"match {match_id} is over, but has {number:,} of its {games:,} games"


def solve_again(
    database: Database, number: int, *, seed: int = 0, seconds: float = 10.0
) -> Iterator[Problem | None]:
    """Search some stored evaluations once more, and compare the results.

    They are chosen at random; the same seed chooses the same ones. ``seconds`` limits the search of
    one position: its result must not contradict the stored evaluation. Nothing stored is used.

    Yields:
        For every evaluation: a problem, or None.
    """
    with database.read() as session:
        rows = _sample(session, number, seed)
    solver = Solver(table_mb=_TABLE_MB)
    for row in rows:
        try:
            fault = _contradiction(row, solver, seconds)
        except C4Error as error:  # no such position
            fault = str(error)
        where = f"position {row.key} of {row.width}x{row.height}"
        yield None if fault is None else Problem("evaluation", f"{where}: {fault}")


def _sample(session: Session, number: int, seed: int) -> list[StoredEvaluation]:
    """Choose evaluations at random, or all if there are fewer."""
    total = session.scalar(select(func.count()).select_from(Evaluation)) or 0
    generator = random.Random(seed)  # noqa: S311 (no secret)
    chosen = set(generator.sample(range(total), min(number, total)))
    query = DriverQuery(select(*COLUMNS).order_by(*PLACE), session.connection().dialect.name)
    rows = (row for rows in query.batches(session.connection(), _ROWS) for row in rows)
    some = islice(enumerate(rows), max(chosen, default=-1) + 1)
    return decode([row for place, row in some if place in chosen])


def _contradiction(row: StoredEvaluation, solver: Solver, seconds: float) -> str | None:
    """The contradiction between a row and another search, or None."""
    position = Position.from_key(row.key, board=(row.width, row.height))
    if position.is_over or row.scores is None:
        found = solver.solve(position, time_limit=seconds)
        return _difference(row, found.lower, found.upper)
    analysis = solver.analyze(position, time_limit=seconds)
    fault = _difference(row, analysis.lower, analysis.upper)
    for column, (told, score) in enumerate(zip(row.scores, analysis.scores, strict=True), 1):
        if None not in (told, score) and told != score:
            fault = f"column {column} scores {told}, but {score} when it is searched again"
    return fault


def _difference(row: StoredEvaluation, lower: int, upper: int) -> str | None:
    if lower <= row.upper and upper >= row.lower:
        return None
    return f"bounds {row.lower} to {row.upper}, but {lower} to {upper} when it is searched again"
