"""SQLite files with rows in every table, and with flipped bits."""

import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, text

from c4core import Position
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.errors import StorageError
from db.evaluations import store
from db.jobs import (
    BoundsPackage,
    acquire_duty,
    claim,
    complete,
    fail,
    record_worker_heartbeat,
    share_bounds,
)
from db.maintenance import check
from db.models import Base
from db.records.evaluations import Cost, StoredEvaluation
from tests.support.boards.matches import game, store_match
from tests.support.running.command_line import C4
from tests.support.running.databases import BOARD, do, make_job, worker

ROWS = 5_000
READING_COMMANDS = (
    ("query",), ("db", "stats"), ("db", "check"), ("jobs", "list"), ("jobs", "show", "1"),
    ("jobs", "results", "1"), ("games", "list"), ("games", "show", "1:0"), ("games", "report", "1"),
    ("games", "export", "1"), ("status",), ("solve", "4455"),
)  # fmt: skip
"""Commands that write nothing."""


def evaluations(number: int, seed: int) -> list[StoredEvaluation]:
    """Possible evaluations of different positions; every second one has column scores."""
    lots = random.Random(seed)
    found: dict[int, StoredEvaluation] = {}
    while len(found) < number:
        position = Position("")
        for _ in range(lots.randrange(30)):
            if position.is_over:
                break
            position = position.play(lots.choice(position.legal_columns()))
        if position.is_over:
            continue
        key = position.canonical_key
        if position.key != key:
            continue
        worst = lots.randint(-3, 0)
        scores = [
            lots.randint(-4, worst) if column in position.legal_columns() else None
            for column in range(BOARD.width)
        ]
        scores[position.legal_columns()[0]] = worst
        columns = tuple(scores) if len(found) % 2 else None
        facts = (position.ply, worst, worst, lots.randrange(10**7), ENGINE_VERSION, columns)
        found[key] = StoredEvaluation(key, *BOARD, *facts)
    return list(found.values())


def fill(path: Path, rows: int = ROWS) -> None:
    """Make a file with rows in every table."""
    with Database.open(str(path)) as database:
        fill_database(database, rows)


def fill_database(database: Database, rows: int) -> None:
    """Store rows in every table."""
    lots = random.Random(1)
    do(database, store, BOARD, evaluations(rows, 1))
    job_id = make_job(database, rows // 50, positions=50)
    for number in range(rows // 100):
        with database.write() as session:
            claimer = {"owner": f"ada.{number}", "engine_version": ENGINE_VERSION}
            unit = claim(session, lease_seconds=500.0, **claimer)
            assert unit is not None
            if number % 10 == 9:
                fail(session, unit, f"error {number}: it did not work")
            elif number % 10 < 8:
                complete(
                    session,
                    unit,
                    evaluations=[],
                    result={"scores": [lots.randint(-9, 9) for _ in range(50)]},
                    nodes=lots.randrange(10**6),
                    seconds=lots.random(),
                    costs={7: Cost(5, lots.random())},
                )
    with database.write() as session:
        acquire_duty(session, "sweep", 1.0)
        record_worker_heartbeat(session, worker("ada", note="nothing to do"))
        record_worker_heartbeat(session, worker("bob", seconds=lots.random()))
        for number in range(rows // 500):
            share_bounds(
                session, job_id, BoundsPackage(lots.getrandbits(62), number, lots.randbytes(500))
            )
    played = [
        game(number, seed=lots.getrandbits(64), x_seconds=lots.random(), o_seconds=lots.random())
        for number in range(rows // 50)
    ]
    unknown = {"moves": None, "seed": None, "detail": "who knows?", "replaced": (1, 2)}
    corpus = store_match(database, [*played, game(len(played), **unknown)])
    store_match(database, [game(0)], corpus=(corpus,))


@contextmanager
def unchecked(connection: Connection, table: str) -> Iterator[None]:
    """Let writes to a table keep the checksums of its rows."""
    if connection.dialect.name == "postgresql":
        expression = f"ALTER TABLE {table} ALTER COLUMN checksum DROP EXPRESSION"
        connection.execute(text(expression))
        yield
        return
    query = text("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = :name")
    sql = connection.scalar(query, {"name": table})
    _declare(connection, table, re.sub(r"GENERATED ALWAYS AS .* STORED", "", sql))
    yield
    _declare(connection, table, sql)


def _declare(connection: Connection, table: str, sql: str) -> None:
    connection.execute(text("PRAGMA writable_schema = ON"))
    statement = text("UPDATE sqlite_schema SET sql = :sql WHERE type = 'table' AND name = :name")
    connection.execute(statement, {"sql": sql, "name": table})
    connection.execute(text("PRAGMA writable_schema = RESET"))


def problems(path: Path) -> list[str]:
    """The problems that the check finds in a file, or the error that prevents the check."""
    try:
        with Database.open(str(path), create=False) as database:
            return [problem.message for problem in check(database)]
    except StorageError as error:
        return [str(error)]


def unnoticed(source: Path, target: Path, flips: int, seed: int) -> Iterator[str]:
    """Flips that change stored data and that the check does not notice."""
    before = content(source)
    changed = 0
    for flip in flipped(source, target, flips, seed):
        if content(target) != before:
            changed += 1
            if not problems(target):
                yield flip
    assert changed > flips / 6


def faults(c4: C4, damages: Iterator[str]) -> Iterator[tuple[str, ...]]:
    """Commands that report the damage as a fault in c4, or end in another wrong way."""
    for damage in damages:
        for command in READING_COMMANDS:
            done = c4(*command)
            if done.code not in {0, 1, 2} or "a fault in c4" in done.err or "Trace" in done.err:
                yield damage, *command, done.err


def flipped(source: Path, target: Path, flips: int, seed: int) -> Iterator[str]:
    """Flip one bit of the copy at a time; yield the name of the flipped bit."""
    lots = random.Random(seed)
    size = source.stat().st_size
    for _ in range(flips):
        place, bit = lots.randrange(size), lots.randrange(8)
        shutil.copy(source, target)
        for suffix in ("-wal", "-shm"):
            Path(f"{target}{suffix}").unlink(missing_ok=True)
        with target.open("r+b") as file:
            file.seek(place)
            (byte,) = file.read(1)
            file.seek(place)
            file.write(bytes([byte ^ 1 << bit]))
        yield f"bit {bit} of byte {place}"


def felt(source: Path, target: Path, flips: int, seed: int) -> Iterator[str]:
    """Flips that a reader can notice.

    Flips in unused bytes, such as between the rows of a page, are left out. SQLite then finds the
    same rows and no fault, so every command behaves as with the intact file.
    """
    before = content(source)
    for flip in flipped(source, target, flips, seed):
        if _header(target) != _header(source) or content(target) != before or not _is_whole(target):
            yield flip


def _header(path: Path) -> bytes:
    """The file header: versions, and how the file is to be opened."""
    with path.open("rb") as file:
        return file.read(100)


def _is_whole(path: Path) -> bool:
    """Whether SQLite finds the tables and indexes consistent."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except sqlite3.Error:
        return False


def content(path: Path) -> object:
    """All stored data with its types, or the error that prevents reading it."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.text_factory = lambda data: ("text", data)
            tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            return {
                name: sorted(map(repr, connection.execute(f"SELECT * FROM {name.decode()}")))  # noqa: S608
                for ((_, name),) in tables.fetchall()
            }
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return repr(error)


HOSTILE = (
    None, -3, 2**62, -(2**63), 0, 1e300, "x", "", b"\xff\x00", "\x1b]0;x\x07", '{"a":1}', "null",
)  # fmt: skip
"""Values that no column expects."""


def hostile(source: Path, target: Path, number: int, seed: int) -> Iterator[str]:
    """Replace all values of one column of the copy; yield the column and the value."""
    with closing(sqlite3.connect(source)) as connection:
        cases = [
            (table, column[1], value)
            for table in sorted(Base.metadata.tables)
            for column in connection.execute(f"PRAGMA table_info({table})")
            for value in HOSTILE
        ]
    for table, column, value in random.Random(seed).sample(cases, number):
        shutil.copy(source, target)
        with closing(sqlite3.connect(target)) as connection:
            connection.executescript(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
                "replace(sql, ' NOT NULL', '') WHERE type = 'table'"
            )
        with closing(sqlite3.connect(target)) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            statement = f'UPDATE OR IGNORE {table} SET "{column}" = ?'  # noqa: S608
            with suppress(sqlite3.IntegrityError):
                connection.execute(statement, [value])
        yield f"{table}.{column} = {value!r}"
