"""The first schema: all tables of :mod:`db.models`, and the views."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.migrations.views import VIEWS

revision = "c4_0001"
down_revision = None
branch_labels = None
depends_on = None

# SQLite numbers rows by itself only if the key column's type is spelled INTEGER.
ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables and the views."""
    op.create_table(
        "evaluations",
        sa.Column("width", sa.SmallInteger(), nullable=False),
        sa.Column("height", sa.SmallInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("key_high", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("ply", sa.SmallInteger(), nullable=False),
        sa.Column("lower", sa.SmallInteger(), nullable=False),
        sa.Column("upper", sa.SmallInteger(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("engine_version", sa.Integer(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=True),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.CheckConstraint("lower <= upper", name=op.f("ck_evaluations_bounds")),
        sa.PrimaryKeyConstraint("width", "height", "key", "key_high", name=op.f("pk_evaluations")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_evaluations_width_height_ply_key"),
        "evaluations",
        [
            *("width", "height", "ply", "key_high", "key", "lower", "upper"),
            sa.text("(scores IS NOT NULL)"),
        ],
        postgresql_where=sa.text("ply >= 0"),
    )
    op.create_index(
        op.f("ix_evaluations_open"),
        "evaluations",
        ["width", "height", "ply", "key_high", "key", "lower", "upper"],
        sqlite_where=sa.text("lower <> upper"),
        postgresql_where=sa.text("lower <> upper"),
    )
    op.create_index(
        op.f("ix_evaluations_costly"),
        "evaluations",
        ["width", "height", "nodes"],
        sqlite_where=sa.text("nodes >= 1048576"),
        postgresql_where=sa.text("nodes >= 1048576"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("width", sa.SmallInteger(), nullable=False),
        sa.Column("height", sa.SmallInteger(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("engine_version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.Column("seen_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_jobs_state_priority"), "jobs", ["state", "priority"])
    op.create_table(
        "units",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("job_id", ROW_ID, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("positions", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_units_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_units")),
        sa.UniqueConstraint("job_id", "seq", name=op.f("uq_units_job_id_seq")),
        sqlite_autoincrement=True,
    )
    for name, columns, condition in (
        ("queued", ["job_id", "seq", "positions"], "state = 'queued'"),
        ("leased", ["job_id", "lease_until"], "state = 'leased'"),
        ("done", ["job_id", "positions", "nodes", "seconds"], "state = 'done'"),
        ("failed", ["job_id", "seq"], "state = 'failed'"),
        ("cancelled", ["job_id", "positions"], "state = 'cancelled'"),
        ("finished", ["finished_at"], "finished_at IS NOT NULL"),
    ):
        where = sa.text(condition)
        op.create_index(
            op.f(f"ix_units_{name}"), "units", columns, sqlite_where=where, postgresql_where=where
        )
    op.create_table(
        "matches",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("job_id", ROW_ID, nullable=True),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("player_a", sa.Text(), nullable=False),
        sa.Column("player_b", sa.Text(), nullable=False),
        sa.Column("width", sa.SmallInteger(), nullable=False),
        sa.Column("height", sa.SmallInteger(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("first_unit", sa.Integer(), nullable=True),
        sa.Column("end_unit", sa.Integer(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("is_whole", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_matches_job_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
    )
    op.create_index(op.f("ix_matches_job_id"), "matches", ["job_id"])
    op.create_table(
        "corpus_matches",
        sa.Column("match_id", ROW_ID, nullable=False),
        sa.Column("corpus_match_id", ROW_ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
            name=op.f("fk_corpus_matches_match_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["corpus_match_id"],
            ["matches.id"],
            name=op.f("fk_corpus_matches_corpus_match_id"),
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("match_id", "corpus_match_id", name=op.f("pk_corpus_matches")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_corpus_matches_corpus_match_id"), "corpus_matches", ["corpus_match_id"]
    )
    op.create_table(
        "games",
        sa.Column("match_id", ROW_ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("a_is_x", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("moves", sa.Text(), nullable=True),
        sa.Column("final_key", sa.BigInteger(), nullable=False),
        sa.Column("final_key_high", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("length", sa.SmallInteger(), nullable=False),
        sa.Column("winner", sa.SmallInteger(), nullable=False),
        sa.Column("ending", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("x_seconds", sa.Double(), nullable=False),
        sa.Column("o_seconds", sa.Double(), nullable=False),
        sa.Column("replaced", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_games_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_games")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("threads", sa.Integer(), nullable=False),
        sa.Column("table_mb", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("engine_version", sa.Integer(), nullable=False),
        sa.Column("queues", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.Column("units_done", sa.BigInteger(), nullable=False),
        sa.Column("positions_done", sa.BigInteger(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    for view in VIEWS[op.get_bind().dialect.name]:
        op.execute(sa.text(view))
