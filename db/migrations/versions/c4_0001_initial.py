"""Evaluations, jobs, units."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.migrations.helpers import ROW_ID, create_unit_index

revision = "c4_0001"
down_revision = None
branch_labels = None
depends_on = None

UNIT_INDEXES = (
    ("ix_units_queued", ["job_id", "seq"], "state = 'queued'"),
    ("ix_units_leased", ["job_id", "lease_until"], "state = 'leased'"),
    ("ix_units_failed", ["job_id", "seq"], "state = 'failed'"),
    ("ix_units_finished", ["finished_at"], "finished_at IS NOT NULL"),
)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "evaluations",
        sa.Column("width", sa.SmallInteger(), nullable=False),
        sa.Column("height", sa.SmallInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("ply", sa.SmallInteger(), nullable=False),
        sa.Column("lower", sa.SmallInteger(), nullable=False),
        sa.Column("upper", sa.SmallInteger(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("engine_version", sa.Integer(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=True),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.CheckConstraint("lower <= upper", name=op.f("ck_evaluations_bounds")),
        sa.PrimaryKeyConstraint("width", "height", "key", name=op.f("pk_evaluations")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_evaluations_width_height_ply_key"),
        "evaluations",
        ["width", "height", "ply", "key"],
        postgresql_where=sa.text("ply >= 0"),
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
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
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
    )
    for index in UNIT_INDEXES:
        create_unit_index(*index)


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("units")
    op.drop_table("jobs")
    op.drop_table("evaluations")
