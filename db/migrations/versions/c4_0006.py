"""Bounds that the workers of a job share, in a table of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.migrations.helpers import ROW_ID, checksum_column

revision = "c4_0006"
down_revision = "c4_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "shared_bounds",
        sa.Column("job_id", ROW_ID, nullable=False),
        sa.Column("sender", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("bounds", sa.LargeBinary(), nullable=False),
        checksum_column("job_id:b sender:b number:i"),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_shared_bounds_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "sender", "number", name=op.f("pk_shared_bounds")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Drop the table: a job goes on without it."""
    op.drop_table("shared_bounds")
