"""Bounds that the workers of a job share, in a table of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "c4_0006"
down_revision = "c4_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    row_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    small = "number" if is_sqlite else "CAST(number AS BIGINT)"
    large = "{} % 2147483647" if is_sqlite else "MOD({}, 2147483647)"
    checksum = f"({large.format('job_id')} + {large.format('sender')} + {small})"
    op.create_table(
        "shared_bounds",
        sa.Column("job_id", row_id, nullable=False),
        sa.Column("sender", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("bounds", sa.LargeBinary(), nullable=False),
        sa.Column("checksum", sa.BigInteger(), sa.Computed(checksum, persisted=True)),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name=op.f("fk_shared_bounds_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "sender", "number", name=op.f("pk_shared_bounds")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Drop it: a job goes on without it."""
    op.drop_table("shared_bounds")
