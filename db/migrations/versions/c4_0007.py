"""The order of searches has the bounds as well: conditions on them are met without the rows."""

from __future__ import annotations

revision = "c4_0007"
down_revision = "c4_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """X."""


def downgrade() -> None:
    """X."""
