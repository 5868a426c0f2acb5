"""Upgrading a database that may be in use.

Every transaction checks that the schema is the one that its process knows, and fails if the
database was upgraded since. Versions before ``FIRST_WATCHED`` do not check: such a process would go
on, write rows in their old form and so damage the database. It has to end before the upgrade.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import event, inspect, text

from db import schema
from db.engine import WRITING, make_engine, patiently, reading
from db.errors import OldProcessesError
from db.records.jobs import LONGEST_LEASE
from db.revisions import FIRST_WATCHED, REVISIONS
from db.schema import Standing
from db.urls import place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection

_ALIVE_SECONDS: Final = 30
"""A process whose last sign of life is older counts as gone."""

_NAMED: Final = 5
"""Processes that the refusal names at most."""

_NOW: Final = {
    "sqlite": text("SELECT (julianday('now') - 2440587.5) * 86400.0"),
    "postgresql": text("SELECT CAST(EXTRACT(EPOCH FROM now()) AS DOUBLE PRECISION)"),
}

_WORKERS: Final = text(
    "SELECT 'worker ' || name || ' (c4 ' || version || ')' FROM workers "
    "WHERE seen_at BETWEEN :since AND :until ORDER BY name"
)
_OWNERS: Final = text(
    "SELECT DISTINCT 'process ' || owner || ', which holds leases' FROM units "
    "WHERE state = 'leased' AND lease_until BETWEEN :now AND :longest ORDER BY 1"
)
_TURNS: Final = text(
    "SELECT DISTINCT 'a process at job ' || jobs.id FROM jobs JOIN turns "
    "ON turns.name IN ('working.' || jobs.id, 'planning.' || jobs.id) "
    "WHERE state IN ('running', 'planning') AND taken_at BETWEEN :since AND :until ORDER BY 1"
)
_JOBS: Final = text(
    "SELECT 'a process at job ' || id FROM jobs WHERE "
    "state = 'running' AND runner_seen_at BETWEEN :since AND :until "
    "OR state = 'planning' AND planner_seen_at BETWEEN :since AND :until ORDER BY id"
)
_OTHER_CONNECTIONS: Final = text(
    "SELECT DISTINCT 'a connection of c4 from ' || coalesce(host(client_addr), 'this machine') "
    "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'c4' "
    "AND pid <> pg_backend_pid() ORDER BY 1"
)


def read_state(engine: Engine) -> schema.SchemaState:
    """The state of a database's schema; it may have none."""
    with reading(engine, tells_revision=False).begin() as connection:
        return schema.read_state(connection)


def upgrade(url: URL, *, force: bool) -> tuple[schema.SchemaState, schema.SchemaState]:
    """Bring an empty or older database to HEAD; its state before and afterwards.

    Raises:
        OldProcessesError: ``force`` is False, and processes of older versions use the database.
    """
    with ExitStack() as at_end:
        engine = make_engine(url)
        at_end.callback(engine.dispose)
        before = read_state(engine)
        is_guarded = not force and _goes_unnoticed(before)
        if is_guarded and engine.dialect.name == "sqlite":
            with reading(engine, tells_revision=False).begin() as connection:
                _refuse_old_processes(connection, place(url))
            engine.dispose()
            event.listen(engine, "connect", _be_alone, insert=True)
        guarded = place(url) if is_guarded else None
        return before, migrate(engine, {Standing.EMPTY, Standing.OLD}, guarded=guarded)


def migrate(
    engine: Engine, from_standings: set[Standing], *, guarded: str | None = None
) -> schema.SchemaState:
    """Bring the database to HEAD from one of these standings; returns its state afterwards.

    The state is read again inside the transaction: of several processes that meet here, one does
    the work and the others find it done.

    Args:
        engine: of the database.
        from_standings: nothing is done to a database in another state.
        guarded: how messages call the database, if processes of older versions must not use it.
    """
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            cursor = connection.connection.cursor()
            # None of these can be set in a transaction. The first is stored in the file and holds
            # for all later connections.
            patiently(lambda: cursor.execute("PRAGMA journal_mode = WAL"))
            # A migration drops a table to make it anew. With foreign keys on, that would delete
            # the rows that refer to it.
            cursor.execute("PRAGMA foreign_keys = OFF")
            # Then the new table takes the old name. Without this, SQLite refuses that while a view
            # or a trigger of the user's own names the table that is gone.
            cursor.execute("PRAGMA legacy_alter_table = ON")
            # The last two hold for this connection, so it does not go back to the pool.
            connection.detach()
        with connection.execution_options(**WRITING).begin():
            schema.lock_for_migration(connection)
            state = schema.read_state(connection)
            if state.standing in from_standings:
                if guarded is not None:
                    _refuse_old_processes(connection, guarded)
                schema.migrate(connection)
                state = schema.read_state(connection)
    return state


def _goes_unnoticed(state: schema.SchemaState) -> bool:
    """Whether processes that know this schema do not notice an upgrade."""
    return (
        state.standing is Standing.OLD
        and state.revision is not None
        and REVISIONS.index(state.revision) < REVISIONS.index(FIRST_WATCHED)
    )


def _be_alone(connection: DBAPIConnection, record: object) -> None:
    """Keep all other processes out of an SQLite file as long as this new connection is open.

    Raises:
        OldProcessesError: another process has it open.
    """
    del record
    driver = cast("sqlite3.Connection", connection)
    (path,) = [row[2] for row in driver.execute("PRAGMA database_list") if row[1] == "main"]
    # Set before the file is first read, this makes SQLite lock all of it.
    driver.execute("PRAGMA locking_mode = EXCLUSIVE")
    try:
        driver.executescript("BEGIN EXCLUSIVE; ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise _refusal(path, [f"another process (`fuser {path}` shows which)"]) from None


def _refuse_old_processes(connection: Connection, place: str) -> None:
    """Refuse to upgrade while a process gives a sign of life.

    Raises:
        OldProcessesError: names the processes.
    """
    if found := list(_processes(connection)):
        raise _refusal(place, found)


def _refusal(place: str, processes: list[str]) -> OldProcessesError:
    more = [f"{len(processes) - _NAMED} more"] if len(processes) > _NAMED else []
    names = ", ".join([*processes[:_NAMED], *more])
    return OldProcessesError(
        f"cannot upgrade {place}: it is in use by {names}. Older versions do not notice an upgrade "
        "and would damage the database: stop them, then run `c4 db upgrade` again. A process that "
        f"has crashed is forgotten after {_ALIVE_SECONDS} s; --force upgrades at once"
    )


def _processes(connection: Connection) -> Iterator[str]:
    """The processes that use a database of any older revision, as far as it shows them."""
    tables = set(inspect(connection).get_table_names())
    has_heartbeats = "runner_seen_at" in {
        column["name"] for column in inspect(connection).get_columns("jobs")
    }
    is_postgresql = connection.dialect.name == "postgresql"
    now: float = connection.execute(_NOW[connection.dialect.name]).scalar_one()
    times = {
        "now": now,
        "since": now - _ALIVE_SECONDS,
        "until": now + _ALIVE_SECONDS,
        "longest": now + LONGEST_LEASE,
    }
    for query, is_there in (
        (_WORKERS, "workers" in tables),
        (_OWNERS, True),
        (_TURNS, "turns" in tables),
        (_JOBS, has_heartbeats),
        (_OTHER_CONNECTIONS, is_postgresql),
    ):
        if is_there:
            yield from connection.scalars(query, times)
