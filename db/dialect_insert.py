"""INSERT with ON CONFLICT, which SQLAlchemy has for each database but not for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from db.models import Base


def dialect_insert(session: Session, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
    """An INSERT for the session's database."""
    if session.get_bind().dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
