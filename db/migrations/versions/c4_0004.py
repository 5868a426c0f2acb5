"""Checksums: a generated column in every table, seals in long texts and column scores; views.

In SQLite each table is recreated and filled.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

from db.migrations.helpers import VIEWS, checksum, rebuild, sealed_object, sealed_scores

revision = "c4_0004"
down_revision = "c4_0003"
branch_labels = None
depends_on = None

COLUMNS: Final = {
    "evaluations": "width:i height:i key:b ply:i lower:i upper:i nodes:b engine_version:i "
    "updated_at:d",
    "jobs": "id:b kind:t width:i height:i state:t priority:i label:t? engine_version:i "
    "created_at:d started_at:d? finished_at:d?",
    "units": "id:b job_id:b seq:i state:t positions:i expected_seconds:d fence:i attempts:i "
    "lapses:i announced_at:d owner:t? lease_until:d? error:t? nodes:b seconds:d finished_at:d?",
    "matches": "id:b job_id:b? origin:t label:t? player_a:t player_b:t width:i height:i "
    "first_unit:i? end_unit:i? verdict:t? is_whole:o created_at:d",
    "games": "match_id:b number:i a_is_x:o seed:b? final_key:b length:i winner:i ending:t detail:t "
    "x_seconds:d o_seconds:d replaced:t",
    "workers": "name:t host:t pid:i threads:i table_mb:i version:t engine_version:i queues:t "
    "started_at:d seen_at:d units_done:b positions_done:b nodes:b seconds:d note:t?",
    "costs": "engine_version:i width:i height:i columns:o ply:i positions:b seconds:d",
    "turns": "name:t taken_at:d",
}
"""The columns in each table's checksum."""

OBJECTS: Final = (
    ("jobs", "params"),
    ("units", "payload"),
    ("units", "result"),
    ("matches", "terms"),
)
"""JSON objects, which get a seal."""

# Damaged values stay as they are: `c4 db check` names them afterwards, and one value must not block
# the upgrade of all others. The functions get bytes, because the driver cannot pass text that is
# not UTF-8.
SQLITE_SEAL_OBJECT: Final = (
    "CASE WHEN typeof({column}) = 'text' "
    "THEN coalesce(c4_sealed_object(CAST({column} AS BLOB)), {column}) ELSE {column} END"
)

SQLITE_SEAL_SCORES: Final = (
    "CASE WHEN typeof(scores) = 'blob' THEN c4_sealed_scores(scores) ELSE scores END"
)


POSTGRESQL_SEAL_OBJECT: Final = """
    UPDATE {table} SET {column} = body || '"#":"'
        || left(encode(sha256(convert_to(body, 'UTF8')), 'hex'), 8) || '"}}'
    FROM (
        SELECT id AS of_id, left({column}, -1) || CASE {column} WHEN '{{}}' THEN '' ELSE ',' END
            AS body FROM {table} WHERE {column} LIKE '%}}'
    ) AS bodies WHERE id = of_id
"""

POSTGRESQL_SEAL_SCORES: Final = """
    UPDATE evaluations SET scores = scores || (
        SELECT substr(int8send(
            (length(scores) + sum((length(scores) - n) * get_byte(scores, n))) % 65521 * 65536
            + (1 + sum(get_byte(scores, n))) % 65521
        ), 5, 4)
        FROM generate_series(0, length(scores) - 1) AS n
    ) WHERE scores IS NOT NULL
"""
# Adler-32.

SQLITE_UNSEAL_OBJECT: Final = (
    "UPDATE {table} SET {column} = rtrim(substr({column}, 1, length({column}) - 15), ',') || '}}' "
    'WHERE {column} LIKE \'%"#":"________"}}\''
)

POSTGRESQL_UNSEAL_OBJECT: Final = (
    "UPDATE {table} SET {column} = rtrim(left({column}, -15), ',') || '}}' "
    'WHERE {column} LIKE \'%"#":"________"}}\''
)


def upgrade() -> None:
    """Add the checksums, seal existing values, create the views."""
    if op.get_bind().dialect.name == "sqlite":
        driver: Any = op.get_bind().connection.dbapi_connection
        driver.create_function("c4_sealed_object", 1, sealed_object, deterministic=True)
        driver.create_function("c4_sealed_scores", 1, sealed_scores, deterministic=True)
        for table, columns in COLUMNS.items():
            sealed = {
                name: SQLITE_SEAL_OBJECT.format(column=name) for of, name in OBJECTS if of == table
            }
            if table == "evaluations":
                sealed["scores"] = SQLITE_SEAL_SCORES
            rebuild(table, columns, sealed)
    else:
        for table, column in OBJECTS:
            op.execute(POSTGRESQL_SEAL_OBJECT.format(table=table, column=column))
        op.execute(POSTGRESQL_SEAL_SCORES)
        for table, columns in COLUMNS.items():
            expression, kind = checksum(columns, "postgresql")
            op.execute(
                f"ALTER TABLE {table} ADD COLUMN checksum {kind} "
                f"GENERATED ALWAYS AS ({expression}) STORED"
            )
    for statement in VIEWS[op.get_bind().dialect.name]:
        op.execute(sa.text(statement))


def downgrade() -> None:
    """Undo the upgrade."""
    for view in ("c4_games", "c4_jobs", "c4_positions"):
        op.execute(f"DROP VIEW {view}")
    for table in COLUMNS:
        op.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    unseal = SQLITE_UNSEAL_OBJECT if is_sqlite else POSTGRESQL_UNSEAL_OBJECT
    for table, column in OBJECTS:
        op.execute(unseal.format(table=table, column=column))
    op.execute(
        "UPDATE evaluations SET scores = substr(scores, 1, length(scores) - 4) "
        "WHERE scores IS NOT NULL"
    )
