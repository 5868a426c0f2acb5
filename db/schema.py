"""The schema's revision: read it from a database, and bring the database up to date.

Processes may use the database during an upgrade. Every transaction checks that the schema has the
revision of its program, and fails if the database was upgraded since. Versions before
``FIRST_WATCHED`` do not check: such a process would go on, write rows in their old form and so
damage the database. It has to end before the upgrade.

Alembic is imported only for a migration: it would double the time to open a database.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from sqlalchemy import Column, MetaData, String, Table, event, inspect, select, text

from db.engine import BUSY_SECONDS, WRITING, make_engine, patiently, reading
from db.errors import (
    CorruptError,
    MissingDatabaseError,
    NotADatabaseError,
    OldProcessesError,
    SchemaTooNewError,
    SchemaTooOldError,
)
from db.migrations import FIRST_WATCHED, HEAD, REVISIONS
from db.records.jobs import LONGEST_LEASE
from db.urls import place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from alembic.config import Config
    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection

_OWN_TABLES: Final = frozenset({"evaluations", "jobs", "units"})
"""The tables of every revision. A database that has one of them belongs to C4."""

_ALL_TABLES: Final = _OWN_TABLES | {
    "costs",
    "corpus_matches",
    "duties",
    "games",
    "matches",
    "shared_bounds",
    "workers",
}
"""The tables of HEAD."""

_VERSION_TABLE: Final = "alembic_version"
_version: Final = Table(_VERSION_TABLE, MetaData(), Column("version_num", String(32)))

_MIGRATION_LOCK: Final = text("SELECT pg_advisory_xact_lock(1127502659)")
# The number is "C4SC" in ASCII; a migration holds the lock until the end of its transaction.

_LOCK_REVISION: Final = text(f"LOCK TABLE {_VERSION_TABLE} IN ACCESS EXCLUSIVE MODE")

_LIMIT_WAITING: Final = text(f"SET LOCAL lock_timeout = '{BUSY_SECONDS:.0f}s'")
# A migration that waits for a reader blocks writers, so its wait is limited.

_NAMED_TABLES: Final = 3

_ALIVE_SECONDS: Final = 30
"""A process whose last sign of life is older counts as gone."""

_NAMED: Final = 5
"""Maximum number of processes that the refusal names."""

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


class Standing(Enum):
    """The state of a database's schema, compared with this version of the program."""

    EMPTY = "empty"
    CURRENT = "current"
    OLD = "old"
    NEW = "new"
    FOREIGN = "foreign"
    DAMAGED = "damaged"


class SchemaState(NamedTuple):
    """The schema that was found in a database."""

    standing: Standing
    revision: str | None
    """The revision recorded in the database, if any."""
    tables: tuple[str, ...]
    """The names of its tables, in order."""


def classify(tables: AbstractSet[str], revision: str | None) -> Standing:
    """Return the standing of a database with these tables and this revision."""
    if not tables - {_VERSION_TABLE}:
        return Standing.EMPTY if revision is None else Standing.FOREIGN
    if not tables & _OWN_TABLES or _VERSION_TABLE not in tables:
        return Standing.FOREIGN
    if revision is None:
        return Standing.DAMAGED
    if revision not in REVISIONS:
        return Standing.NEW
    if revision != HEAD:
        return Standing.OLD
    return Standing.CURRENT if tables >= _ALL_TABLES else Standing.DAMAGED


def read_state(connection: Connection) -> SchemaState:
    """Read the state of a database's schema by two small queries."""
    tables = frozenset(inspect(connection).get_table_names())
    revision = None
    if _VERSION_TABLE in tables:
        revision = connection.scalar(select(_version.c.version_num))
    return SchemaState(classify(tables, revision), revision, tuple(sorted(tables)))


def refuse(state: SchemaState, place: str) -> None:
    """Raise an error if a database in this state cannot be used; the message says why."""
    found = str(state.revision)
    match state.standing:
        case Standing.EMPTY:
            raise MissingDatabaseError(f"{place} holds no C4 database: run `c4 db init`")
        case Standing.OLD:
            raise SchemaTooOldError(
                f"{place} has schema {found}, this version needs {HEAD}: run `c4 db upgrade`",
                found=found,
                needed=HEAD,
            )
        case Standing.NEW:
            raise SchemaTooNewError(
                f"{place} has schema {found}, which this version (schema {HEAD}) does not know: "
                "a newer C4 has written it, use that version",
                found=found,
                needed=HEAD,
            )
        case Standing.FOREIGN:
            names = ", ".join(state.tables[:_NAMED_TABLES])
            more = ", ..." if len(state.tables) > _NAMED_TABLES else ""
            raise NotADatabaseError(
                f"{place} belongs to another program (tables {names}{more}): "
                "give C4 a database of its own"
            )
        case Standing.DAMAGED:
            raise CorruptError(f"{place} is damaged: tables or the schema's revision are missing")
        case Standing.CURRENT:
            return


def refuse_change(revision: str | None, place: str) -> None:
    """Raise an error as :func:`refuse` does if a database in use has a revision other than HEAD.

    The revision was read when a transaction began. If it is not HEAD, the database was upgraded
    after this process had opened it.
    """
    if revision != HEAD:
        refuse(SchemaState(classify(_ALL_TABLES | {_VERSION_TABLE}, revision), revision, ()), place)


def lock_for_migration(connection: Connection) -> None:
    """Let one process at a time migrate, and block transactions that would write meanwhile.

    In SQLite the write transaction ensures that already. In PostgreSQL every transaction reads the
    revision first (:mod:`db.engine`), so it waits for the migration, or the migration waits for it.
    """
    if connection.dialect.name != "postgresql":
        return
    connection.execute(_LIMIT_WAITING)
    connection.execute(_MIGRATION_LOCK)
    if inspect(connection).has_table(_VERSION_TABLE):
        connection.execute(_LOCK_REVISION)


def migrate(connection: Connection) -> None:
    """Bring an empty or older database to HEAD within the connection's transaction."""
    from alembic import command  # noqa: PLC0415 - see the module's docstring

    command.upgrade(alembic_config(connection), HEAD)


def alembic_config(connection: Connection) -> Config:
    """The settings for Alembic's commands, with a connection and this package's migrations."""
    from alembic.config import Config  # noqa: PLC0415 - see the module's docstring

    config = Config()
    migrations = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", migrations.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def state_of(engine: Engine) -> SchemaState:
    """Read the state of a database's schema; it may have none."""
    with reading(engine, tells_revision=False).begin() as connection:
        return read_state(connection)


def upgrade(url: URL, *, force: bool) -> tuple[SchemaState, SchemaState]:
    """Bring an empty or older database to HEAD; return its state before and afterwards."""
    with ExitStack() as at_end:
        engine = make_engine(url)
        at_end.callback(engine.dispose)
        before = state_of(engine)
        is_guarded = not force and _goes_unnoticed(before)
        if is_guarded and engine.dialect.name == "sqlite":
            with reading(engine, tells_revision=False).begin() as connection:
                _refuse_old_processes(connection, place(url))
            engine.dispose()
            event.listen(engine, "connect", _be_alone, insert=True)
        guarded = place(url) if is_guarded else None
        return before, bring_up_to_date(engine, {Standing.EMPTY, Standing.OLD}, guarded=guarded)


def bring_up_to_date(
    engine: Engine, from_standings: set[Standing], *, guarded: str | None = None
) -> SchemaState:
    """Bring the database to HEAD from one of these standings; return its state afterwards.

    A database in another state does not change. The state is read again inside the transaction: if
    several processes do this at once, one upgrades and the others find it done. If ``guarded`` is
    set, processes of older versions must not use the database; messages call it by this name.
    """
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            cursor = connection.connection.cursor()
            # None of these can be set in a transaction. The first is stored in the file and applies
            # to all later connections.
            patiently(lambda: cursor.execute("PRAGMA journal_mode = WAL"))
            # A migration drops a table to recreate it. With foreign keys on, that would delete the
            # rows that refer to it.
            cursor.execute("PRAGMA foreign_keys = OFF")
            # Then the new table is renamed to the old name. Without this, SQLite refuses the rename
            # while one of the user's own views or triggers names the missing table.
            cursor.execute("PRAGMA legacy_alter_table = ON")
            # The last two apply to this connection, so it does not go back to the pool.
            connection.detach()
        with connection.execution_options(**WRITING).begin():
            lock_for_migration(connection)
            state = read_state(connection)
            if state.standing in from_standings:
                if guarded is not None:
                    _refuse_old_processes(connection, guarded)
                migrate(connection)
                state = read_state(connection)
    return state


def _goes_unnoticed(state: SchemaState) -> bool:
    """Whether processes that know this schema do not notice an upgrade."""
    return (
        state.standing is Standing.OLD
        and state.revision is not None
        and REVISIONS.index(state.revision) < REVISIONS.index(FIRST_WATCHED)
    )


def _be_alone(connection: DBAPIConnection, record: object) -> None:
    """Keep all other processes out of an SQLite file while this new connection is open."""
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
    """Refuse to upgrade while a process of an older version uses the database."""
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
    """The detectable processes that use a database of any older revision."""
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
