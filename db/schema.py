"""The schema's revision: read it from a database, and bring the database up to date.

Processes may use the database during an upgrade. Every transaction checks that the schema has the
revision of its program, and fails if the database was upgraded since.

Alembic is imported only for a migration: it would double the time to open a database.
"""

from __future__ import annotations

import threading
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import Column, MetaData, String, Table, inspect, select, text

from db.engine import BUSY_SECONDS, WRITING, make_engine, patiently, reading
from db.errors import (
    CorruptError,
    MissingDatabaseError,
    NotADatabaseError,
    SchemaTooNewError,
    SchemaTooOldError,
)
from db.files import check_version_table
from db.migrations import HEAD, REVISIONS

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from alembic.config import Config
    from sqlalchemy import URL, Connection, Engine

_OWN_TABLES: Final = frozenset({"evaluations", "jobs", "units"})
"""The tables of every revision. A database that has one of them belongs to C4."""

_VERSION_TABLE: Final = "alembic_version"
_version: Final = Table(_VERSION_TABLE, MetaData(), Column("version_num", String(32)))

_MIGRATION_LOCK: Final = text("SELECT pg_advisory_xact_lock(1127502659)")
# The number is "C4SC" in ASCII; a migration holds the lock until the end of its transaction.

_LOCK_REVISION: Final = text(f"LOCK TABLE {_VERSION_TABLE} IN ACCESS EXCLUSIVE MODE")

_LIMIT_WAITING: Final = text(f"SET LOCAL lock_timeout = '{BUSY_SECONDS:.0f}s'")
# A migration that waits for a reader blocks writers, so its wait is limited.

_NAMED_TABLES: Final = 3


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
    return Standing.CURRENT if revision == HEAD else Standing.OLD


def read_state(connection: Connection) -> SchemaState:
    """Read the state of a database's schema by two small queries."""
    tables = frozenset(inspect(connection).get_table_names())
    revision = None
    if _VERSION_TABLE in tables:
        if connection.dialect.name == "sqlite":
            check_version_table(connection)
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
            raise CorruptError(f"{place} is damaged: the schema's revision is missing")
        case Standing.CURRENT:
            return


def refuse_change(revision: str | None, place: str) -> None:
    """Raise an error as :func:`refuse` does if a database in use has a revision other than HEAD.

    The revision was read when a transaction began. If it is not HEAD, the database was upgraded
    after this process had opened it.
    """
    if revision != HEAD:
        refuse(SchemaState(classify(_OWN_TABLES | {_VERSION_TABLE}, revision), revision, ()), place)


_ALEMBIC: Final = threading.Lock()
"""Alembic's context is global, so one thread at a time can migrate a database."""


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

    with _ALEMBIC:
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


def upgrade(url: URL) -> tuple[SchemaState, SchemaState]:
    """Bring an empty or older database to HEAD; return its state before and afterwards."""
    engine = make_engine(url)
    try:
        return state_of(engine), bring_up_to_date(engine, {Standing.EMPTY, Standing.OLD})
    finally:
        engine.dispose()


def bring_up_to_date(engine: Engine, from_standings: set[Standing]) -> SchemaState:
    """Bring the database to HEAD from one of these standings; return its state afterwards.

    A database in another state does not change. The state is read again inside the transaction: if
    several processes do this at once, one upgrades and the others find it done.
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
                migrate(connection)
                state = read_state(connection)
    return state
