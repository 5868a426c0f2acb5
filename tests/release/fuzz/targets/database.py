"""Database rows with arbitrary values, under ``c4 db check``.

Also hostile JSON, for the code that reads matches and results.
"""

import base64
import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from db.checking import check
from db.database import Database
from db.errors import StorageError
from db.games.matches import list_matches
from db.jobs import list_jobs
from tests.release.fuzz.mutation import ODD, mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.hostile import Case, rows
from tests.support.hostile.rows import sound_database
from workers.core.follow import iterate_units
from workers.core.kinds import unit_objects

OBJECTS = {("jobs", "params"), ("units", "payload"), ("units", "result"), ("matches", "terms")}
"""Columns of JSON objects."""

TOGETHER = 20
"""Number of values changed together: a check of the database takes many statements."""


def _kept(value: Any) -> Any:  # noqa: ANN401
    return {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _value(kept: Any) -> Any:  # noqa: ANN401
    return base64.b64decode(kept["bytes"]) if isinstance(kept, dict) else kept


def _other(chance: Random, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, str) and chance.random() < 0.6:
        try:
            return mutated_text(chance, json.loads(value)).decode(errors="replace")
        except ValueError:
            return mutated(chance, value.encode(errors="surrogatepass")).decode(errors="replace")
    if isinstance(value, bytes) and chance.random() < 0.6:
        return mutated(chance, value)
    if isinstance(value, int) and chance.random() < 0.5:
        return (value + chance.choice((-1, 1, 2**31, -(2**40)))) % 2**63
    odd = chance.choice(ODD)
    if isinstance(odd, int) and not -(2**63) <= odd < 2**63:
        odd = str(odd)
    if isinstance(odd, str):
        odd = odd.encode(errors="surrogatepass").decode(errors="replace")
    return b"\x00\xff" if isinstance(odd, list | dict) else odd


def _read(database: Database) -> None:
    """Read JSON objects: damage is allowed, and a fault is not."""
    with suppress(StorageError), database.read() as session:
        list_matches(session)
    with suppress(StorageError):
        with database.read() as session:
            found = list_jobs(session)
        for job in found:
            with suppress(StorageError):
                for unit in iterate_units(database, job.id):
                    for _ in unit_objects(job, unit):
                        pass


def prepare_database(directory: Path) -> Target:
    path = sound_database(directory)
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA ignore_check_constraints = ON")
    raw.execute("PRAGMA synchronous = OFF")
    cells = [cell for table in _tables(raw) for cell in _cells(raw, table)]
    objects = [cell for cell in cells if (cell[0], cell[2]) in OBJECTS and cell[3] is not None]
    database = Database.open(str(path))

    def make(chance: Random) -> bytes:
        changes = []
        if chance.random() < 0.5:
            table, where, column, value = chance.choice(objects)
            text = mutated_text(chance, json.loads(value)).decode(errors="replace")
            return json.dumps([[table, where, column, text]]).encode()
        for _ in range(TOGETHER):
            table, where, column, value = chance.choice(cells)
            changes.append([table, where, column, _kept(_other(chance, value))])
        return json.dumps(changes).encode()

    def run(data: bytes) -> None:
        old = []
        for table, where, column, kept in json.loads(data):
            ((before,),) = raw.execute(f'SELECT "{column}" FROM "{table}" WHERE {where}')
            try:
                _set(raw, table, where, column, _value(kept))
            except sqlite3.IntegrityError:
                continue
            old.append((table, where, column, before))
        try:
            for problem in check(database):
                assert problem.message
            if all((table, column) in OBJECTS for table, _, column, _ in old):
                _read(database)
        finally:
            for row in reversed(old):
                _set(raw, *row)

    return Target(make, run, (StorageError,), TOGETHER, [_as_case(raw, row) for row in rows.CASES])


def _as_case(raw: sqlite3.Connection, row: rows.RowCase) -> Case:
    find = f"SELECT {row.column} FROM {row.table} WHERE {row.where}"
    ((text,),) = raw.execute(find)
    changes = [[row.table, row.where, row.column, row.apply(text)]]
    return Case(str(row), lambda _sample: json.dumps(changes).encode(), "damaged")


def _set(raw: sqlite3.Connection, table: str, where: str, column: str, value: object) -> None:
    raw.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {where}', (value,))


def _tables(raw: sqlite3.Connection) -> list[str]:
    found = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in found if not name.startswith(("sqlite_", "alembic"))]


def _cells(raw: sqlite3.Connection, table: str) -> list[tuple[str, str, str, Any]]:
    """Every value of a table that is not part of a key: its place and its content."""
    about = raw.execute(f'PRAGMA table_info("{table}")').fetchall()
    names = [row[1] for row in about]
    keys = [row[1] for row in about if row[5]]
    found = []
    chosen = ", ".join(f'"{name}"' for name in names)
    for values in raw.execute(f'SELECT {chosen} FROM "{table}"'):
        row = dict(zip(names, values, strict=True))
        where = " AND ".join(f'"{key}" = {row[key]!r}' for key in keys)
        found += [(table, where, name, row[name]) for name in names if name not in keys]
    return found
