"""Announcements, planned cost and lapses of units; workers; measured costs; turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.migrations.helpers import create_unit_index

revision = "c4_0002"
down_revision = "c4_0001"
branch_labels = None
depends_on = None

UNIT_INDEXES = (
    (
        "ix_units_queued",
        ["job_id", "announced_at", "seq", "positions", "expected_seconds"],
        "state = 'queued'",
    ),
    ("ix_units_done", ["job_id", "positions", "nodes", "seconds"], "state = 'done'"),
    ("ix_units_cancelled", ["job_id", "positions"], "state = 'cancelled'"),
)
QUEUED_BEFORE = ("ix_units_queued", ["job_id", "seq"], "state = 'queued'")


def upgrade() -> None:
    """Add to the units the columns for distribution, and the related tables."""
    # The defaults fill the existing rows without rewriting the table.
    for name, kind in (
        ("expected_seconds", sa.Double()),
        ("lapses", sa.Integer()),
        ("announced_at", sa.Double()),
    ):
        op.add_column("units", sa.Column(name, kind, nullable=False, server_default=sa.text("0")))
    op.drop_index(op.f("ix_units_queued"), "units")
    for index in UNIT_INDEXES:
        create_unit_index(*index)
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
        sa.Column("note", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_workers")),
    )
    op.create_table(
        "costs",
        sa.Column("engine_version", sa.Integer(), nullable=False),
        sa.Column("width", sa.SmallInteger(), nullable=False),
        sa.Column("height", sa.SmallInteger(), nullable=False),
        sa.Column("columns", sa.Boolean(), nullable=False),
        sa.Column("ply", sa.SmallInteger(), nullable=False),
        sa.Column("positions", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint(
            "engine_version", "width", "height", "columns", "ply", name=op.f("pk_costs")
        ),
    )
    op.create_table(
        "turns",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("taken_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_turns")),
    )


def downgrade() -> None:
    """Undo the upgrade."""
    for table in ("turns", "costs", "workers"):
        op.drop_table(table)
    for name, _, _ in UNIT_INDEXES:
        op.drop_index(op.f(name), "units")
    for name in ("announced_at", "lapses", "expected_seconds"):
        op.drop_column("units", name)
    create_unit_index(*QUEUED_BEFORE)
