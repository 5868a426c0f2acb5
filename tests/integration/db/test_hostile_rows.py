"""Rows from an untrusted source that c4 would not have stored."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import select

from db.database import Database
from db.errors import CorruptError, DamagedValueError, StorageError
from db.models import Job
from tests.support.hostile.rows import (
    ANALYZE,
    BOOK,
    BOOK_PAYLOADS,
    DEEP,
    DEEP_PARAMETERS,
    RESULTS,
    TERMS,
    RowCase,
    sound_database,
)
from tests.support.running.command_line import C4
from tests.support.running.databases import ask, execute
from workers.analyze.job import unit_answers
from workers.core.follow import iterate_units, read_job


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """A database that every test leaves unchanged."""
    path = sound_database(tmp_path_factory.mktemp("sound"))
    with Database.open(str(path)) as database:
        kinds = [read_job(database, number).kind for number in range(1, 6)]
    assert [kinds[number - 1] for number in (ANALYZE, BOOK, DEEP)] == ["analyze", "book", "deep"]
    return C4(path.parent)


@pytest.fixture
def c4(sound: C4) -> Iterator[C4]:
    """The same database; it is restored at the end."""
    database, kept = sound.directory / "test.db", sound.directory / "kept.db"
    shutil.copy(database, kept)
    yield sound
    for file in sound.directory.glob("test.db*"):
        file.unlink()
    kept.rename(database)


def write(c4: C4, case: RowCase) -> None:
    with closing(sqlite3.connect(c4.directory / "test.db")) as connection, connection:
        case.write(connection)


def assert_is_damage(c4: C4, command: str) -> None:
    done = c4(*command.split())
    assert "a fault in c4" not in done.err
    assert done.code == 1, done
    assert "damaged: " in done.err
    assert len(done.err) < 1_000


BUILD = "book build --board 4x4 --plies 3 --output new.c4book"
COMMANDS = [
    *((case, "games report 1") for case in TERMS),
    *((case, "games matches") for case in TERMS[::9]),
    *((case, "games export 1") for case in TERMS[::9]),
    *((case, "games replay 1:0") for case in TERMS[::9]),
    *((case, f"jobs results {case.job}") for case in RESULTS),
    *((case, "deep --board 4x4 1122") for case in DEEP_PARAMETERS),
    *((case, BUILD) for case in BOOK_PAYLOADS),
]


@pytest.mark.parametrize(("case", "command"), COMMANDS, ids=str)
def test_hostile_rows_are_reported_as_damage(c4: C4, case: RowCase, command: str) -> None:
    write(c4, case)
    assert_is_damage(c4, command)


def test_the_origin_of_a_match(c4: C4) -> None:
    with closing(sqlite3.connect(c4.directory / "test.db")) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE matches SET origin = 'stolen'")
    assert_is_damage(c4, "games report 1")


def test_hostile_answers_are_reported_as_damage(c4: C4) -> None:
    (case,) = (case for case in RESULTS if str(case) == "units of job 1: without nodes")
    write(c4, case)
    with Database.open(str(c4.directory / "test.db")) as database:
        (unit,) = iterate_units(database, ANALYZE)
        with pytest.raises(DamagedValueError, match="a unit's answers cannot be read"):
            list(unit_answers(unit) or ())


class TestLargeValues:
    """A schema from an untrusted source may compute huge values; c4 reads none of them."""

    def test_a_value_computed_by_a_schema_is_refused(self, c4: C4) -> None:
        path = c4.directory / "test.db"
        with closing(sqlite3.connect(path)) as connection, connection:
            ((made,),) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'jobs'")
            bomb = "label TEXT GENERATED ALWAYS AS (hex(zeroblob(40000000))) VIRTUAL"
            assert "label TEXT" in made
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(
                "UPDATE sqlite_schema SET sql = ? WHERE name = 'jobs'",
                (made.replace("label TEXT", bomb),),
            )
        for command in ("jobs list", "jobs show 1"):
            done = c4(*command.split())
            assert done.code == 1
            assert re.search(r"test\.db is damaged: it has a value larger", done.err)

    def test_a_value_too_large_to_store_or_query_is_not_damage(self, c4: C4) -> None:
        text = "x" * ((1 << 26) + 1)
        with Database.open(str(c4.directory / "test.db")) as database:
            with pytest.raises(StorageError, match="too large to be stored") as stored:
                execute(database, "UPDATE jobs SET label = :text", text=text)
            with pytest.raises(StorageError, match="too large to be stored") as asked:
                ask(database, lambda session: session.scalar(select(Job.id).filter_by(label=text)))
        assert not isinstance(stored.value, CorruptError)
        assert not isinstance(asked.value, CorruptError)

    def test_a_value_of_several_megabytes_is_accepted(self, c4: C4) -> None:
        path = c4.directory / "test.db"
        label = "\x1b" * 8_000_000
        with Database.open(str(path)) as database:
            execute(database, "UPDATE jobs SET label = :label WHERE id = 1", label=label)
            with database._engine.connect() as connection:
                driver = connection.connection.driver_connection
                assert isinstance(driver, sqlite3.Connection)
                driver.execute("VACUUM")
        assert c4("db", "backup", "copy.db").code == 0
        with Database.open(str(c4.directory / "copy.db")) as copy:
            assert read_job(copy, 1).label == label
        assert c4("db", "check").code == 0
