"""INSERT with ON CONFLICT, which SQLAlchemy has for each database but not for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite
    from sqlalchemy.orm import Session

    from db.models import Base


def dialect_insert(session: Session, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
    """An INSERT for the session's database. The other database's dialect is not loaded."""
    if session.get_bind().dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite  # noqa: PLC0415

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415

    return postgresql.insert(table)
