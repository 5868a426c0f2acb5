"""The tables. A change here needs a migration; a test compares the two."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Double,
    Enum,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from db.records.evaluations import COSTLY_NODES
from db.records.jobs import JobState, UnitState
from db.sql import ColumnScores, HighHalf, JsonText, LowHalf, PlainText, Unsigned

_ZERO = text("0")

# SQLite numbers rows by itself only if the key column's type is spelled INTEGER.
_RowId = BigInteger().with_variant(Integer(), "sqlite")


# SQLite gives the number of a deleted row to another one otherwise, and a worker that still holds a
# deleted unit would complete the other one.
_NUMBERED_ONCE = {"sqlite_autoincrement": True}


def _state(kind: type[JobState | UnitState]) -> Enum:
    """The column type of a state: a text, so that a new state does not change the schema."""
    return Enum(
        kind,
        native_enum=False,
        length=16,
        values_callable=lambda states: [state.value for state in states],
    )


def _partial_index(name: str, *columns: str, condition: str) -> Index:
    where = text(condition)
    return Index(f"ix_units_{name}", *columns, sqlite_where=where, postgresql_where=where)


class Base(DeclarativeBase):
    """The base of all tables: it defines how their constraints are named."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Evaluation(Base):
    """The proven bounds and scores of a position; one row per board and canonical key.

    ``key_high`` and ``key`` are the halves of the key: see :class:`db.sql.LowHalf`. Bounds and
    scores are from the point of view of the side to move. In SQLite the primary key is the table
    itself (WITHOUT ROWID): half the size, and one descent instead of two for a lookup.

    The other index contains the columns of the search order, ``ply, key_high, key``, the bounds,
    and whether there are column scores, so that conditions on these read no rows. Counting the
    draws among four million rows of SQLite took 3.5 s of processor time without the bounds, and
    0.4 s with them.

    In PostgreSQL the index has a condition that is always true. It keeps lookups by key, which
    never name a ply, away from this index. Without statistics (in a table that was filled a moment
    ago) PostgreSQL would use it for lookups and read all rows of the board: 4,700 keys/s instead of
    130,000.
    """

    __tablename__ = "evaluations"
    __table_args__ = (
        # The merge of `store` relies on this check: crossing bounds are a contradiction.
        CheckConstraint("lower <= upper", name="bounds"),
        Index(
            "ix_evaluations_width_height_ply_key",
            *("width", "height", "ply", "key_high", "key", "lower", "upper"),
            text("(scores IS NOT NULL)"),
            postgresql_where=text("ply >= 0"),
        ),
        # Few rows have open bounds: a search for them reads this index, not all rows.
        Index(
            "ix_evaluations_open",
            *("width", "height", "ply", "key_high", "key", "lower", "upper"),
            sqlite_where=text("lower <> upper"),
            postgresql_where=text("lower <> upper"),
        ),
        # A process that joins a deep job reads the most expensive rows of a board.
        Index(
            "ix_evaluations_costly",
            *("width", "height", "nodes"),
            sqlite_where=text(f"nodes >= {COSTLY_NODES}"),
            postgresql_where=text(f"nodes >= {COSTLY_NODES}"),
        ),
        {"sqlite_with_rowid": False},
    )

    width: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    height: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    key: Mapped[int] = mapped_column(LowHalf, primary_key=True)
    key_high: Mapped[int] = mapped_column(HighHalf, primary_key=True, server_default=_ZERO)
    ply: Mapped[int] = mapped_column(SmallInteger)
    lower: Mapped[int] = mapped_column(SmallInteger)
    upper: Mapped[int] = mapped_column(SmallInteger)
    nodes: Mapped[int] = mapped_column(BigInteger)
    engine_version: Mapped[int] = mapped_column(Integer)
    scores: Mapped[tuple[int | None, ...] | None] = mapped_column(ColumnScores)
    updated_at: Mapped[float] = mapped_column(Double)


class Job(Base):
    """A job. Times are epoch seconds on the database's clock.

    ``seen_at`` is the last time that a process planned the job or held one of its leases.
    """

    __tablename__ = "jobs"
    __table_args__ = (Index(None, "state", "priority"), _NUMBERED_ONCE)

    id: Mapped[int] = mapped_column(_RowId, primary_key=True)
    kind: Mapped[str] = mapped_column(Text)
    width: Mapped[int] = mapped_column(SmallInteger)
    height: Mapped[int] = mapped_column(SmallInteger)
    state: Mapped[JobState] = mapped_column(_state(JobState))
    priority: Mapped[int] = mapped_column(Integer)
    label: Mapped[str | None] = mapped_column(PlainText)
    params: Mapped[dict[str, Any]] = mapped_column(JsonText)
    engine_version: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[float] = mapped_column(Double)
    started_at: Mapped[float | None] = mapped_column(Double)
    finished_at: Mapped[float | None] = mapped_column(Double)
    seen_at: Mapped[float | None] = mapped_column(Double)


class Unit(Base):
    """A part of a job; one worker works on it at a time.

    ``fence`` counts the claims; the holder of an older count can neither complete nor fail the
    unit. ``attempts`` counts the claims that were not handed back.
    """

    __tablename__ = "units"
    __table_args__ = (
        UniqueConstraint("job_id", "seq"),
        # Each query has an index of its own over the rows that it can return: the next unit, the
        # leases, the failures, the pace of the last minute. An index on (job_id, state, seq) would
        # suffice for most of them. But with statistics that are some minutes old the database
        # prefers the index of the constraint above, and reads every done unit before it finds a
        # queued one. For the same reason no two indexes have the same condition. The indexes also
        # contain the columns that a tally sums.
        _partial_index("queued", "job_id", "seq", "positions", condition="state = 'queued'"),
        _partial_index("leased", "job_id", "lease_until", condition="state = 'leased'"),
        _partial_index(
            "done", "job_id", "positions", "nodes", "seconds", condition="state = 'done'"
        ),
        _partial_index("failed", "job_id", "seq", condition="state = 'failed'"),
        _partial_index("cancelled", "job_id", "positions", condition="state = 'cancelled'"),
        _partial_index("finished", "finished_at", condition="finished_at IS NOT NULL"),
        _NUMBERED_ONCE,
    )

    id: Mapped[int] = mapped_column(_RowId, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"))
    seq: Mapped[int] = mapped_column(Integer)
    state: Mapped[UnitState] = mapped_column(_state(UnitState))
    payload: Mapped[dict[str, Any]] = mapped_column(JsonText)
    positions: Mapped[int] = mapped_column(Integer)
    fence: Mapped[int] = mapped_column(Integer)
    attempts: Mapped[int] = mapped_column(Integer)
    owner: Mapped[str | None] = mapped_column(PlainText)
    lease_until: Mapped[float | None] = mapped_column(Double)
    result: Mapped[dict[str, Any] | None] = mapped_column(JsonText)
    error: Mapped[str | None] = mapped_column(PlainText)
    nodes: Mapped[int] = mapped_column(BigInteger)
    seconds: Mapped[float] = mapped_column(Double)
    finished_at: Mapped[float | None] = mapped_column(Double)


class Match(Base):
    """Games between two players under one set of terms. See :mod:`db.records.matches`.

    The units ``first_unit`` to ``end_unit`` - 1 of its job play it.
    """

    __tablename__ = "matches"
    __table_args__ = (Index(None, "job_id"),)

    id: Mapped[int] = mapped_column(_RowId, primary_key=True)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"))
    origin: Mapped[str] = mapped_column(Text)
    label: Mapped[str | None] = mapped_column(PlainText)
    player_a: Mapped[str] = mapped_column(Text)
    player_b: Mapped[str] = mapped_column(Text)
    width: Mapped[int] = mapped_column(SmallInteger)
    height: Mapped[int] = mapped_column(SmallInteger)
    terms: Mapped[dict[str, Any]] = mapped_column(JsonText)
    first_unit: Mapped[int | None] = mapped_column(Integer)
    end_unit: Mapped[int | None] = mapped_column(Integer)
    verdict: Mapped[str | None] = mapped_column(Text)
    is_whole: Mapped[bool] = mapped_column(Boolean)
    created_at: Mapped[float] = mapped_column(Double)


class CorpusMatch(Base):
    """A match looks up the games of another one, which cannot be deleted while this row exists.

    ``corpus`` in the match's terms contains the same numbers.
    """

    __tablename__ = "corpus_matches"
    __table_args__ = (Index(None, "corpus_match_id"), {"sqlite_with_rowid": False})

    match_id: Mapped[int] = mapped_column(
        ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True
    )
    corpus_match_id: Mapped[int] = mapped_column(
        ForeignKey("matches.id", ondelete="RESTRICT"), primary_key=True
    )


class Game(Base):
    """A game of a match. ``winner`` is 1 for ``x``, -1 for ``o``, 0 for a draw.

    In SQLite the primary key is the table itself (WITHOUT ROWID), so a match's games are stored
    together and in order.
    """

    __tablename__ = "games"
    __table_args__ = ({"sqlite_with_rowid": False},)

    match_id: Mapped[int] = mapped_column(
        ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    a_is_x: Mapped[bool] = mapped_column(Boolean)
    seed: Mapped[int | None] = mapped_column(Unsigned)
    moves: Mapped[str | None] = mapped_column(Text)
    final_key: Mapped[int] = mapped_column(LowHalf)
    final_key_high: Mapped[int] = mapped_column(HighHalf, server_default=_ZERO)
    length: Mapped[int] = mapped_column(SmallInteger)
    winner: Mapped[int] = mapped_column(SmallInteger)
    ending: Mapped[str] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(PlainText)
    x_seconds: Mapped[float] = mapped_column(Double)
    o_seconds: Mapped[float] = mapped_column(Double)
    replaced: Mapped[list[int]] = mapped_column(JsonText)


class Worker(Base):
    """A process that works on any job, and regularly records a heartbeat."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(PlainText, primary_key=True)
    host: Mapped[str] = mapped_column(PlainText)
    pid: Mapped[int] = mapped_column(Integer)
    threads: Mapped[int] = mapped_column(Integer)
    table_mb: Mapped[int] = mapped_column(Integer)
    version: Mapped[str] = mapped_column(Text)
    engine_version: Mapped[int] = mapped_column(Integer)
    queues: Mapped[list[str]] = mapped_column(JsonText)
    started_at: Mapped[float] = mapped_column(Double)
    seen_at: Mapped[float] = mapped_column(Double)
    units_done: Mapped[int] = mapped_column(BigInteger)
    positions_done: Mapped[int] = mapped_column(BigInteger)
    nodes: Mapped[int] = mapped_column(BigInteger)
    seconds: Mapped[float] = mapped_column(Double)
