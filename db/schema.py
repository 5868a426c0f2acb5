"""The schema's revision: reading that of a database, and bringing the database up to date.

Alembic is imported only where a migration runs: it would double the time to open a database.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import Column, MetaData, String, Table, inspect, select, text

from db.engine import BUSY_SECONDS
from db.errors import (
    CorruptError,
    MissingDatabaseError,
    NotADatabaseError,
    SchemaTooNewError,
    SchemaTooOldError,
)
from db.revisions import HEAD, REVISIONS

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from alembic.config import Config
    from sqlalchemy import Connection

_OWN_TABLES: Final = frozenset({"evaluations", "jobs", "units"})
"""The tables of every revision. A database that has one of them is C4's."""

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
# Writers wait behind a migration that waits for a reader.

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
    """The revision that it names, if any."""
    tables: tuple[str, ...]
    """Its tables, in order of their names."""


def classify(
    tables: AbstractSet[str], revision: str | None, revisions: tuple[str, ...] = REVISIONS
) -> Standing:
    """The standing of a database with these tables and this revision."""
    if not tables - {_VERSION_TABLE}:
        return Standing.EMPTY if revision is None else Standing.FOREIGN
    if not tables & _OWN_TABLES or _VERSION_TABLE not in tables:
        return Standing.FOREIGN
    if revision is None:
        return Standing.DAMAGED
    if revision not in revisions:
        return Standing.NEW
    if revision != revisions[-1]:
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
    """Raise the error that says why a database in this state cannot be used, if it cannot.

    Args:
        state: what was found.
        place: how messages call the database.

    Raises:
        MissingDatabaseError, SchemaTooOldError, SchemaTooNewError, NotADatabaseError,
        CorruptError: it is not a sound database of the current schema.
    """
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
                "it was written by a newer C4, use that",
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
    """Raise an error if a database in use has another revision than HEAD: it was upgraded.

    Args:
        revision: as a transaction has found it at its beginning.
        place: how messages call the database.

    Raises:
        SchemaTooOldError, SchemaTooNewError, CorruptError: as :func:`refuse`.
    """
    if revision != HEAD:
        refuse(SchemaState(classify(_ALL_TABLES | {_VERSION_TABLE}, revision), revision, ()), place)


def lock_for_migration(connection: Connection) -> None:
    """Let one process at a time migrate, and let no transaction run meanwhile that would write.

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
    """The settings with which Alembic's commands use a connection, wherever the package is."""
    from alembic.config import Config  # noqa: PLC0415 - see the module's docstring

    config = Config()
    migrations = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", migrations.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
