"""Matches and their games."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.migrations.helpers import ROW_ID

revision = "c4_0003"
down_revision = "c4_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
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
        "games",
        sa.Column("match_id", ROW_ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("a_is_x", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("moves", sa.Text(), nullable=True),
        sa.Column("final_key", sa.BigInteger(), nullable=False),
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


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("games")
    op.drop_table("matches")
