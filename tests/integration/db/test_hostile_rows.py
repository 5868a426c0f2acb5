"""Rows that a stranger has written: soundly sealed, and not what c4 would have stored."""

import json
import math
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from db.database import Database
from db.errors import CorruptError, DamagedValueError, StorageError
from db.models import Job
from db.types import seal_object
from tests.support.running.command_line import C4
from workers.books.task import PlyTask
from workers.core.following import iterate_units, read_job
from workers.deep.task import DeepTask
from workers.positions.units import unit_answers

Change = Callable[[dict[str, Any]], object]

ANALYZE, MATCH, BOOK, DEEP = 1, 2, 4, 5
"""Jobs of the database; the third judges the match."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a database that has a job of each kind, all done."""
    directory = tmp_path_factory.mktemp("sound")
    c4 = C4(directory)
    for command, stdin in (
        (("analyze", "--board", "4x4"), "112233\n1212\n\nx\n"),
        (("match", "random", "set:fallback=vector", "--games", "2", "--board", "5x4"), ""),
        (("book", "build", "--board", "4x4", "--plies", "3", "--output", "b.c4book"), ""),
        (("deep", "--board", "4x4", "1122", "--split-plies", "1"), ""),
    ):
        done = c4(*command, stdin=stdin)
        assert done.code in {0, 1}, done.err
    with Database.open(str(directory / "test.db")) as database:
        kinds = [read_job(database, number).kind for number in (ANALYZE, MATCH, BOOK, DEEP)]
    assert kinds == ["analyze", "match", "book", "deep"]
    return directory


@pytest.fixture
def c4(sound: Path, tmp_path: Path) -> C4:
    return C4(Path(shutil.copytree(sound, tmp_path / "copy")))


def change(c4: C4, table: str, column: str, where: str, how: Change) -> None:
    """Change the JSON of a row, and seal it anew."""
    with closing(sqlite3.connect(c4.directory / "test.db")) as connection, connection:
        ((text,),) = connection.execute(
            f"SELECT {column} FROM {table} WHERE {where} LIMIT 1"  # noqa: S608 (a test's own)
        )
        fields = json.loads(text)
        del fields["#"]
        how(fields)
        sealed = seal_object(json.dumps(fields, separators=(",", ":")))
        connection.execute(
            f"UPDATE {table} SET {column} = ? WHERE {where}",  # noqa: S608
            (sealed,),
        )


def without(name: str) -> Change:
    return lambda fields: fields.pop(name)


def having(**values: object) -> Change:
    return lambda fields: fields.update(values)


def assert_is_damage(c4: C4, *command: str) -> None:
    done = c4(*command)
    assert "a fault in c4" not in done.err
    assert done.code == 1, done
    assert "damaged: " in done.err
    assert len(done.err) < 1_000


TEST = {"elo0": -5, "elo1": 5, "alpha": 0.1, "beta": 0.1}


@pytest.mark.parametrize(
    "how",
    [
        *map(without, ("form", "a", "b", "games", "seats", "seed", "board", "start")),
        having(form="x"),
        having(a={"a": 1}),
        having(b=None),
        having(games="4"),
        having(games=None),
        having(games=True),
        having(games=-1),
        having(seats="A" * 10_000),
        having(seats=["fixed"]),
        having(seed="1"),
        having(seed=1 << 64),
        having(board=5),
        having(board="99x99"),
        having(board="4" * 10_000),
        having(start=-1e308),
        having(start=math.inf),
        having(start=10**30),
        having(time=5),
        having(time={"move": "x"}),
        having(time={"move": True}),
        having(time={"other": 1}),
        having(lenient=1),
        having(sprt=[1]),
        having(sprt={"other": 1}),
        having(sprt=TEST | {"beta": "x"}),
        having(corpus=5),
        having(corpus=["1"]),
        having(corpus=[-1]),
    ],
)
def test_the_terms_of_a_match(c4: C4, how: Change) -> None:
    change(c4, "matches", "terms", "id = 1", how)
    for command in ("games matches", "games report 1", "games export 1", "games replay 1:0"):
        assert_is_damage(c4, *command.split())


def test_the_origin_of_a_match(c4: C4) -> None:
    with closing(sqlite3.connect(c4.directory / "test.db")) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE matches SET origin = 'stolen'")
    assert_is_damage(c4, "games", "report", "1")


@pytest.mark.parametrize(
    ("job", "how"),
    [
        (ANALYZE, without("zero_based")),
        *((BOOK, without(name)) for name in ("start", "ply", "columns")),
        (BOOK, having(start="x")),
        (BOOK, having(start=-1)),
        (BOOK, having(ply=1.5)),
        (BOOK, having(ply=17)),
        (BOOK, having(columns=1)),
        (BOOK, having(within=0)),
        (BOOK, having(within="0", **{"for": "both"})),
        (BOOK, having(within=0, **{"for": ["both"]})),
    ],
)
def test_the_parameters_of_a_job(c4: C4, job: int, how: Change) -> None:
    change(c4, "jobs", "params", f"id = {job}", how)
    assert_is_damage(c4, "jobs", "results", str(job))


@pytest.mark.parametrize(
    "how",
    [
        *map(without, ("moves", "weak", "split", "nodes")),
        having(moves=1122),
        having(moves="9"),
        having(weak=0),
        having(split="1"),
        having(split=40),
        having(nodes=1e9),
    ],
)
def test_the_parameters_of_a_deep_job(c4: C4, how: Change) -> None:
    change(c4, "jobs", "params", f"id = {DEEP}", how)
    assert_is_damage(c4, "deep", "--board", "4x4", "1122")


@pytest.mark.parametrize(
    ("job", "how"),
    [
        (ANALYZE, without("entries")),
        (ANALYZE, without("line")),
        (ANALYZE, having(line="x")),
        (ANALYZE, having(entries=5)),
        (ANALYZE, having(entries=[5])),
        (ANALYZE, having(entries=["9"])),
        (ANALYZE, having(entries=[{"key": 1.5}])),
        (ANALYZE, having(entries=[{"error": "x"}])),
        (ANALYZE, having(entries=[{"moves": 1}])),
        (ANALYZE, having(entries=["1"] * 9)),  # more positions than answers
        (MATCH, without("match")),
        (BOOK, without("keys")),
        (BOOK, having(keys=10**30)),
        (BOOK, having(keys="é")),
        (BOOK, having(keys="AAAA")),
        (DEEP, without("key")),
    ],
)
def test_the_payload_of_a_unit(c4: C4, job: int, how: Change) -> None:
    change(c4, "units", "payload", f"job_id = {job}", how)
    assert_is_damage(c4, "jobs", "results", str(job))


@pytest.mark.parametrize("how", [without("keys"), having(keys=10**30)])
def test_the_payload_of_a_unit_of_a_book_that_is_built_again(c4: C4, how: Change) -> None:
    change(c4, "units", "payload", f"job_id = {BOOK}", how)
    assert_is_damage(
        c4, *("book", "build", "--board", "4x4", "--plies", "3", "--output", "new.c4book")
    )


@pytest.mark.parametrize(
    ("job", "how"),
    [
        *((ANALYZE, without(name)) for name in ("score", "nodes", "known", "seconds")),
        (ANALYZE, having(score=5)),
        (ANALYZE, having(score=["x", "x"])),
        (ANALYZE, having(nodes=[None, None])),
        (ANALYZE, having(nodes=[10**400, 10**400])),
        (ANALYZE, having(columns=[1, 2])),
        (ANALYZE, having(known=[[]])),
        (BOOK, without("scores")),
        (BOOK, having(scores="AAAA")),
        (BOOK, having(scores=None)),
    ],
)
def test_the_result_of_a_unit(c4: C4, job: int, how: Change) -> None:
    change(c4, "units", "result", f"job_id = {job}", how)
    assert_is_damage(c4, "jobs", "results", str(job))


def test_answers_are_damage_to_whoever_reads_them(c4: C4) -> None:
    change(c4, "units", "result", f"job_id = {ANALYZE}", without("nodes"))
    with Database.open(str(c4.directory / "test.db")) as database:
        (unit,) = iterate_units(database, ANALYZE)
        with pytest.raises(DamagedValueError, match="a unit's answers cannot be read"):
            list(unit_answers(unit) or ())


def test_sound_parameters_are_none(c4: C4) -> None:
    with Database.open(str(c4.directory / "test.db")) as database:
        book, deep = read_job(database, BOOK), read_job(database, DEEP)
    assert PlyTask.from_params(book.params, book.board).as_params() == book.params
    assert DeepTask.from_params(deep.params, deep.board).as_params() == deep.params


class TestLargeValues:
    """A schema of a stranger's computes values from nothing; c4 takes none that are huge."""

    def test_one_that_a_schema_computes(self, c4: C4) -> None:
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
            assert "test.db is damaged: a value in it is larger than all that c4" in done.err

    def test_one_that_is_too_large_to_store_is_no_damage(self, c4: C4) -> None:
        with (
            Database.open(str(c4.directory / "test.db")) as database,
            pytest.raises(StorageError, match="too large to be stored") as caught,
            database.write() as session,
        ):
            session.connection().exec_driver_sql("UPDATE jobs SET label = ?", ("x" * (1 << 26),))
        assert not isinstance(caught.value, CorruptError)

    def test_nor_one_that_is_asked_for(self, c4: C4) -> None:
        with (
            Database.open(str(c4.directory / "test.db")) as database,
            pytest.raises(StorageError, match="too large to be stored") as caught,
            database.read() as session,
        ):
            session.scalar(select(Job.id).where(Job.label == "x" * ((1 << 26) + 1)))
        assert not isinstance(caught.value, CorruptError)

    def test_one_of_some_megabytes_is_ordinary(self, c4: C4) -> None:
        path = c4.directory / "test.db"
        label = "\x1b" * 8_000_000
        with Database.open(str(path)) as database:
            with database.write() as session:
                session.connection().exec_driver_sql(
                    "UPDATE jobs SET label = ? WHERE id = 1", (label,)
                )
            with database._engine.connect() as connection:
                driver = connection.connection.driver_connection
                assert isinstance(driver, sqlite3.Connection)
                driver.execute("VACUUM")
        assert c4("db", "backup", "copy.db").code == 0
        with Database.open(str(c4.directory / "copy.db")) as copy:
            assert read_job(copy, 1).label == label
        assert c4("db", "check").code == 0
