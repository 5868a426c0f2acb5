"""``c4 status --check``: clocks that differ, and databases that cannot be written."""

import json

import psycopg
import pytest

from tests.support.running.command_line import C4
from tests.support.running.databases import PostgresDatabases

SHIFTED = (
    "CREATE SCHEMA shifted",
    """
    CREATE FUNCTION shifted.statement_timestamp() RETURNS timestamptz STABLE LANGUAGE sql
    AS $$ SELECT pg_catalog.statement_timestamp() + interval '{}' $$
    """,
    'ALTER DATABASE "{}" SET search_path = shifted, pg_catalog, public',
)
"""Statements that make the clock of a PostgreSQL database differ from this machine's."""
pytestmark = pytest.mark.postgres


def change(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


@pytest.mark.parametrize(
    ("shift", "problem"),
    [
        ("1 minute", "the clock of this machine is 60 s behind that of the database"),
        ("-1 hour", "the clock of this machine is 3600 s ahead of that of the database"),
        ("3 seconds", None),
    ],
)
def test_another_clock(
    c4: C4, postgres_server: PostgresDatabases, shift: str, problem: str | None
) -> None:
    with postgres_server.database(initialised=True) as url:
        name = url.rpartition("/")[2]
        change(url, *(line.format(name if "DATABASE" in line else shift) for line in SHIFTED))
        done = c4("status", "--check", "--json", "--db", url)
    assert json.loads(done.out)["problems"] == ([] if problem is None else [problem])
    assert done.code == (0 if problem is None else 1)


def test_a_database_that_only_reads(c4: C4, postgres_server: PostgresDatabases) -> None:
    with postgres_server.database(initialised=True) as url:
        name = url.rpartition("/")[2]
        change(url, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        shown, checked = c4("status", "--db", url), c4("status", "--check", "--db", url)
    assert (shown.code, shown.err) == (0, "")
    assert checked.code == 1
    assert checked.err.startswith("Problem: cannot write ")
    assert "cannot execute DELETE in a read-only transaction" in checked.err
