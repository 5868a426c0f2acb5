"""Heartbeats are columns of jobs, duties a table of their own; the matches of a corpus are rows."""

from __future__ import annotations

import hashlib
import json
from typing import Final

import sqlalchemy as sa
from alembic import op

from db.migrations.helpers import ROW_ID, SEAL_LENGTH, checksum_column

revision = "c4_0005"
down_revision = "c4_0004"
branch_labels = None
depends_on = None

HEARTBEATS: Final = {"planner_seen_at": "planning.", "runner_seen_at": "working."}
"""The new columns of jobs, and the prefixes of the names of the rows that they replace."""


def upgrade() -> None:
    """Create the new tables and columns, and fill them from the old ones."""
    for column in HEARTBEATS:
        op.add_column("jobs", sa.Column(column, sa.Double(), nullable=True))
    create_table_of_times("duties", "acquired_at")
    for column, prefix in HEARTBEATS.items():
        # Only these rows: every written row gets a new checksum, even if it was damaged before.
        word = f"FROM turns WHERE name = '{prefix}' || CAST(jobs.id AS TEXT)"
        op.execute(
            f"UPDATE jobs SET {column} = (SELECT taken_at {word}) WHERE EXISTS (SELECT 1 {word})"  # noqa: S608
        )
    op.execute(
        "INSERT INTO duties (name, acquired_at) SELECT name, taken_at FROM turns "
        "WHERE name NOT LIKE 'planning.%' AND name NOT LIKE 'working.%'"
    )
    op.drop_table("turns")
    op.create_table(
        "corpus_matches",
        sa.Column("match_id", ROW_ID, nullable=False),
        sa.Column("corpus_match_id", ROW_ID, nullable=False),
        checksum_column("match_id:b corpus_match_id:b"),
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
    fill_corpus_matches()


def downgrade() -> None:
    """Undo the upgrade."""
    op.drop_table("corpus_matches")
    create_table_of_times("turns", "taken_at")
    op.execute("INSERT INTO turns (name, taken_at) SELECT name, acquired_at FROM duties")
    for column, prefix in HEARTBEATS.items():
        op.execute(
            f"INSERT INTO turns (name, taken_at) SELECT '{prefix}' || CAST(id AS TEXT), {column} "  # noqa: S608
            f"FROM jobs WHERE {column} IS NOT NULL"
        )
    op.drop_table("duties")
    for column in HEARTBEATS:
        op.drop_column("jobs", column)


def create_table_of_times(table: str, column: str) -> None:
    """Create a table of names, each with a time."""
    op.create_table(
        table,
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(column, sa.Double(), nullable=False),
        checksum_column(f"name:t {column}:d"),
        sa.PrimaryKeyConstraint("name", name=op.f(f"pk_{table}")),
    )


def fill_corpus_matches() -> None:
    """Create the rows from the terms of the matches.

    Damaged terms and missing matches get no rows: `c4 db check` names both.
    """
    connection = op.get_bind()
    there = set(connection.scalars(sa.text("SELECT id FROM matches")))
    # Bytes, because SQLite's driver does not read a text that is not UTF-8.
    binary = "CAST(terms AS BLOB)" if connection.dialect.name == "sqlite" else "terms"
    found = connection.execute(
        sa.text(f"SELECT id, {binary} FROM matches WHERE terms LIKE '%\"corpus\":[%'")  # noqa: S608
    ).all()
    for match_id, terms in found:
        rows = [
            {"match_id": match_id, "corpus_match_id": other}
            for other in sorted(corpus_of(terms) & there - {match_id})
        ]
        if rows:
            connection.execute(
                sa.text(
                    "INSERT INTO corpus_matches (match_id, corpus_match_id) "
                    "VALUES (:match_id, :corpus_match_id)"
                ),
                rows,
            )


def corpus_of(terms: str | bytes) -> set[int]:
    """The numbers of the matches that a match looks up; none if its terms are damaged."""
    try:
        text = terms.decode() if isinstance(terms, bytes) else terms
        body = text[:-SEAL_LENGTH]
        fields = json.loads(text)
        seal = hashlib.sha256(body.encode()).hexdigest()[:8]
        is_sound = isinstance(fields, dict) and fields.get("#") == seal
        corpus = fields.get("corpus", []) if is_sound else []
        return {other for other in corpus if type(other) is int}
    except (TypeError, ValueError, RecursionError):
        return set()
