"""The integrity check of the schema: tables, indexes, views as c4 makes them, and no triggers."""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, inspect, text

from db.checksums import CHECKSUM
from db.models import Base
from db.schema import migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

VIEWS: Final = ("c4_games", "c4_jobs", "c4_positions")
"""For people with other programs; see docs/sql.md."""

_SQLITE_OBJECTS: Final = text("SELECT type, name, tbl_name, sql FROM sqlite_schema")

_POSTGRESQL_TRIGGERS: Final = text(
    "SELECT tgname, relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
    "WHERE NOT tgisinternal AND pg_table_is_visible(tgrelid) ORDER BY tgname"
)


def faults(session: Session) -> Iterator[str]:
    """Say what is missing, what differs, and what does not belong there.

    Tables, indexes and views that others have added do not count.
    """
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        yield from _sqlite_faults(connection)
    else:
        yield from _postgresql_faults(connection)


def _sqlite_faults(connection: Connection) -> Iterator[str]:
    found = _sqlite_objects(connection)
    for (kind, name), (_, sql) in _wanted_sqlite_objects().items():
        if (kind, name) not in found:
            yield f"{kind} {name} is missing"
        elif found[kind, name][1] != sql:
            yield f"{kind} {name} is not as c4 makes it"
    for (kind, name), (table, _) in found.items():
        if kind == "trigger" and table in Base.metadata.tables:
            yield f"table {table} has a trigger {name}: c4 makes none"


@cache
def _wanted_sqlite_objects() -> dict[tuple[str, str], tuple[str, str]]:
    engine = create_engine("sqlite://")
    try:
        with engine.begin() as scratch:
            migrate(scratch)
            return _sqlite_objects(scratch)
    finally:
        engine.dispose()


def _sqlite_objects(connection: Connection) -> dict[tuple[str, str], tuple[str, str]]:
    """Their tables and statements by type and name; spaces and quotes do not count."""
    return {
        (kind, name): (table, re.sub(r'[\s"]', "", sql or ""))
        for kind, name, table, sql in connection.execute(_SQLITE_OBJECTS)
    }


def _postgresql_faults(connection: Connection) -> Iterator[str]:
    # Importing Alembic would double the time of every start of the program.
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415
    from alembic.migration import MigrationContext  # noqa: PLC0415

    context = MigrationContext.configure(connection, opts={"include_object": _is_ours})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that generated columns cannot be changed
        for change in compare_metadata(context, Base.metadata):
            yield f"the schema differs: {_describe(change)}"
    inspector = inspect(connection)
    for view in sorted(set(VIEWS) - set(inspector.get_view_names())):
        yield f"view {view} is missing"
    for table in Base.metadata.tables:
        columns = {column["name"]: column for column in inspector.get_columns(table)}
        if "computed" not in columns.get(CHECKSUM, {}):
            yield f"table {table}: its checksum is not generated"
    for trigger, table in connection.execute(_POSTGRESQL_TRIGGERS):
        if table in Base.metadata.tables:
            yield f"table {table} has a trigger {trigger}: c4 makes none"


def _is_ours(
    _thing: object,
    name: str | None,
    kind: str,
    is_found: bool,  # noqa: FBT001 (as Alembic calls it)
    counterpart: object,
) -> bool:
    """Whether a difference counts; additions of others do not."""
    del name, kind
    return not (is_found and counterpart is None)


def _describe(change: Any) -> str:  # noqa: ANN401 (Alembic's tuples, or lists of them)
    first = change[0] if isinstance(change, list) else change
    verb, *rest = first
    return " ".join(
        [
            str(verb).replace("_", " "),
            *(str(getattr(each, "name", each)) for each in rest if each is not None),
        ]
    )
