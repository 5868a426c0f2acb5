"""Add the high half of keys: in the primary key of evaluations, and beside games' final keys.

A rewritten row gets a new checksum, even if it was damaged before. Evaluations are rewritten, so
the damaged ones are left out, as ``c4 db repair`` does: they are solved again on demand. Games are
not rewritten. Their new column is checked by replaying the game, as the moves are.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

from db.migrations.helpers import VIEWS, VIEWS_OF_WHOLE_KEYS, checksum, made, replace, written

revision = "c4_0008"
down_revision = "c4_0007"
branch_labels = None
depends_on = None

INDEX: Final = "ix_evaluations_width_height_ply_key"

BEFORE: Final = "width:i height:i key:b ply:i lower:i upper:i nodes:b engine_version:i updated_at:d"
AFTER: Final = BEFORE.replace(" key:b", " key:b key_high:b")
"""The columns in the checksum of evaluations."""

KEY_BEFORE: Final = "width, height, key"
KEY_AFTER: Final = "width, height, key, key_high"
"""The primary key."""

KEY: Final = '"key" BIGINT NOT NULL'
QUOTED_BEFORE: Final = '(width, height, "key")'
QUOTED_AFTER: Final = '(width, height, "key", key_high)'
HIGH: Final = "key_high BIGINT DEFAULT 0 NOT NULL"


def upgrade() -> None:
    """Add the columns."""
    op.drop_index(op.f(INDEX), "evaluations")
    if op.get_bind().dialect.name == "sqlite":
        before, after = (checksum(columns, "sqlite")[0] for columns in (BEFORE, AFTER))
        rewrite(
            {KEY: f"{KEY}, \n\t{HIGH}", before: after, QUOTED_BEFORE: QUOTED_AFTER},
            where=f"checksum IS {before}",
        )
    else:
        before, _ = checksum(BEFORE, "postgresql")
        op.execute(f"DELETE FROM evaluations WHERE checksum IS DISTINCT FROM {before}")  # noqa: S608
        alter(f"ADD COLUMN {HIGH}", AFTER, KEY_AFTER)
    make_index("key_high", "key")
    column = sa.Column(
        "final_key_high", sa.BigInteger(), nullable=False, server_default=sa.text("0")
    )
    op.add_column("games", column)
    replace_views(VIEWS_OF_WHOLE_KEYS)


def downgrade() -> None:
    """Remove the columns, and the evaluations that need them."""
    replace_views(VIEWS)
    op.drop_column("games", "final_key_high")
    op.drop_index(op.f(INDEX), "evaluations")
    if op.get_bind().dialect.name == "sqlite":
        before, after = (checksum(columns, "sqlite")[0] for columns in (BEFORE, AFTER))
        rewrite(
            {f"{KEY}, \n\t{HIGH}": KEY, after: before, QUOTED_AFTER: QUOTED_BEFORE},
            where="key_high = 0",
        )
    else:
        op.execute("DELETE FROM evaluations WHERE key_high <> 0")
        alter("DROP COLUMN key_high", BEFORE, KEY_BEFORE)
    make_index("key")


def rewrite(changes: dict[str, str], where: str) -> None:
    """Change the statement that created the SQLite table, and copy rows."""
    (sql,) = made("evaluations", "table")
    for old, new in changes.items():
        if sql.count(old) != 1:
            raise ValueError(f"{old!r} is not once in {sql!r}")
        sql = sql.replace(old, new)
    values = {name: f'"{name}"' for name in written("evaluations") if name != "key_high"}
    replace("evaluations", sql, values, where)


def alter(change: str, columns: str, key: str) -> None:
    """Change the table of PostgreSQL, which rewrites it once."""
    expression, kind = checksum(columns, "postgresql")
    op.execute("ALTER TABLE evaluations DROP CONSTRAINT pk_evaluations, DROP COLUMN checksum")
    op.execute(
        f"ALTER TABLE evaluations {change}, "
        f"ADD COLUMN checksum {kind} GENERATED ALWAYS AS ({expression}) STORED, "
        f"ADD CONSTRAINT pk_evaluations PRIMARY KEY ({key})"
    )


def make_index(*key: str) -> None:
    """Create the index of searches again."""
    columns = ["width", "height", "ply", *key, "lower", "upper"]
    op.create_index(op.f(INDEX), "evaluations", columns, postgresql_where=sa.text("ply >= 0"))


def replace_views(views: dict[str, tuple[str, str, str]]) -> None:
    """Replace the views that show keys; the third one shows none."""
    dialect = op.get_bind().dialect.name
    for view, statement in zip(("c4_positions", "c4_games"), views[dialect][:2], strict=True):
        if dialect == "sqlite":
            op.execute(f"DROP VIEW {view}")
            op.execute(sa.text(statement))
        else:  # the user's own views may depend on this one
            op.execute(sa.text(statement.replace("CREATE VIEW", "CREATE OR REPLACE VIEW")))
