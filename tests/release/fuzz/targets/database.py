"""Database files whose rows have arbitrary values: opened as received ones, and checked."""

import base64
import json
import shutil
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

from db.checking import check
from db.database import Database
from db.errors import StorageError
from tests.release.fuzz.mutation import ODD, mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.running.command_line import C4

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


def _sound_database(directory: Path) -> Path:
    """A database with a finished job of each kind."""
    c4 = C4(directory)
    for command, stdin in (
        (("analyze", "--board", "4x4"), "112233\n1212\n\nx\n"),
        (("match", "random", "set:fallback=vector", "--games", "2", "--board", "5x4"), ""),
        (("book", "build", "--board", "4x4", "--plies", "3", "--output", "b.c4book"), ""),
        (("deep", "--board", "4x4", "1122", "--split-plies", "1"), ""),
    ):
        done = c4(*command, stdin=stdin)
        assert done.code in {0, 1}, done.err
    return directory / "test.db"


def prepare_database(directory: Path) -> Target:
    path = _sound_database(directory)
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA ignore_check_constraints = ON")
    raw.execute("PRAGMA synchronous = OFF")
    cells = [cell for table in _tables(raw) for cell in _cells(raw, table)]
    received = directory / "received.db"

    def make(chance: Random) -> bytes:
        changes = []
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
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            received.unlink(missing_ok=True)
            shutil.copyfile(path, received)
            with Database.open(str(received)) as database:
                for problem in check(database):
                    assert problem.message
        finally:
            for row in reversed(old):
                _set(raw, *row)

    return Target(make, run, (StorageError,), TOGETHER)


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
