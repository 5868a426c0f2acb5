"""Databases of every older revision, with rows in them, are brought up to date."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from alembic import command
from sqlalchemy import Connection, create_engine, text

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.errors import SchemaTooOldError
from db.evaluations import find
from db.jobs import (
    UnitState,
    announce,
    claim_unit,
    get_job,
    list_jobs,
    progress,
    totals,
    unit_results,
)
from db.maintenance import check
from db.schema import HEAD, alembic_config
from db.urls import parse_url
from tests.support.databases import BOARD
from tests.support.jobs import finish
from tests.support.matches import game, games_of, store_match

C4_0001 = """
INSERT INTO evaluations VALUES (7, 6, -9223372036854775803, 8, 2, 2, 100, 1, NULL, 1e9);
INSERT INTO jobs VALUES
    (4, 'analyze', 7, 6, 'running', 0, 'mine', '{"a": 1}', :engine, 1e9, 1e9, NULL);
INSERT INTO units VALUES
    (11, 4, 0, 'done', '{"n": 0}', 5, 1, 1, NULL, NULL, '{"r": 0}', NULL, 9, 0.5, 1e9),
    (12, 4, 1, 'queued', '{"n": 1}', 5, 1, 1, NULL, NULL, NULL, 'broken', 0, 0, NULL),
    (13, 4, 2, 'leased', '{"n": 2}', 5, 2, 2, 'ada', 1e9, NULL, NULL, 0, 0, NULL)
"""
"""Rows as the first revision has them."""


@pytest.fixture
def old_url(database_url: str) -> str:
    """A database of the first revision, in use."""
    with connected(database_url) as connection:
        command.downgrade(alembic_config(connection), "c4_0001")
        for statement in C4_0001.split(";"):
            connection.execute(text(statement), {"engine": ENGINE_VERSION})
    return database_url


def test_an_older_database_is_refused_until_it_is_upgraded(old_url: str) -> None:
    with pytest.raises(SchemaTooOldError, match=f"schema c4_0001, this version needs {HEAD}"):
        Database.open(old_url)
    assert Database.upgrade(old_url) == ("c4_0001", HEAD)
    Database.open(old_url, create=False).close()


def test_what_was_stored_stays(old_url: str) -> None:
    Database.upgrade(old_url)
    with Database.open(old_url) as database, database.read() as session:
        stored = find(session, BOARD, 5)
        assert stored is not None
        assert (stored.score, stored.nodes) == (2, 100)
        (job,) = list_jobs(session)
        assert (job.id, job.label, job.params) == (4, "mine", {"a": 1})
        results = unit_results(session, 4)
        assert progress(session, 4).eta_seconds is None
        assert totals(session).live_workers == ()
    assert [unit.payload for unit in results] == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert [unit.result for unit in results] == [{"r": 0}, None, None]


def test_an_upgraded_job_goes_on(old_url: str) -> None:
    Database.upgrade(old_url)
    with Database.open(old_url) as database:
        with database.write() as session:
            assert announce(session, engine_version=ENGINE_VERSION, interactive=False, limit=9) == [
                12
            ]
        for unit_id, attempts in ((12, 2), (13, 2)):
            with database.write() as session:
                taken = claim_unit(
                    session,
                    unit_id,
                    owner="bob",
                    lease_seconds=60.0,
                    engine_version=ENGINE_VERSION,
                )
            assert taken is not None
            assert taken.attempts == attempts
            assert finish(database, taken)
        with database.read() as session:
            assert get_job(session, 4).units[UnitState.DONE] == 3
        problems = {problem.kind for problem in check(database)}
        assert problems == {"evaluation"}  # the row above is no position


def test_an_upgraded_database_takes_matches(old_url: str) -> None:
    Database.upgrade(old_url)
    with Database.open(old_url) as database:
        match_id = store_match(database, [game(0)])
        assert [each.number for each in games_of(database, match_id)] == [0]


def test_a_newer_database_goes_back(old_url: str) -> None:
    Database.upgrade(old_url)
    with connected(old_url) as connection:
        before = rows(connection)
        command.downgrade(alembic_config(connection), "c4_0001")
        assert rows(connection) == before
    assert Database.upgrade(old_url) == ("c4_0001", HEAD)


def rows(connection: Connection) -> list[object]:
    query = text("SELECT id, seq, state, payload, fence, attempts, result FROM units ORDER BY id")
    return [tuple(row) for row in connection.execute(query)]


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    engine = create_engine(parse_url(url))
    with engine.begin() as connection:
        yield connection
    engine.dispose()
