"""Alembic's entry point: runs migrations on the connection that :mod:`db.schema` passes.

To write a new revision, from a checkout, against a scratch database of the present schema::

    c4 --db scratch.db db init
    alembic -x url=sqlite:///scratch.db revision --autogenerate --rev-id c4_NNNN -m "what it adds"

with the next number for ``c4_NNNN``. There are no downgrades.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import context
from sqlalchemy import create_engine

from db.models import Base

if TYPE_CHECKING:
    from sqlalchemy import Connection


def run(connection: Connection) -> None:
    """Run the migrations in the connection's transaction: all of them, or none."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        transactional_ddl=True,
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with create_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as connection:
        run(connection)
