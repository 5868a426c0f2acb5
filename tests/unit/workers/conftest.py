"""Fixtures for the tests of ``workers``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.database import Database
from workers.answers.service import AnswerService


@pytest.fixture
def service() -> Iterator[AnswerService]:
    """A service without a database."""
    found = AnswerService(None, threads=1, table_mb=1)
    yield found
    found.close()


@pytest.fixture
def sqlite(sqlite_path: Path) -> Iterator[Database]:
    """An SQLite database, for tests on which the kind of database has no influence."""
    with Database.open(str(sqlite_path)) as opened:
        yield opened
