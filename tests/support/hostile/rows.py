"""JSON in database rows with a valid seal and content that c4 would not have stored."""

import json
import math
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from db.types import seal_object
from tests.support.running.command_line import C4

Change = Callable[[dict[str, Any]], object]


ANALYZE, MATCH, JUDGING, BOOK, DEEP = range(1, 6)
"""The jobs of the intact database; the third judges the match."""

TEST = {"elo0": -5, "elo1": 5, "alpha": 0.1, "beta": 0.1}


class RowCase(NamedTuple):
    """A change of a JSON object in a row."""

    table: str
    column: str
    job: int
    """The job of the row; it has one match."""
    change: Change
    name: str
    """Describes the change."""

    def __str__(self) -> str:
        """The name, which becomes part of a test's name."""
        return f"{self.table} of job {self.job}: {self.name}"

    @property
    def where(self) -> str:
        """The condition that selects the row, by its number alone."""
        if self.table == "units":
            first = f"SELECT min(id) FROM units WHERE job_id = {self.job}"  # noqa: S608 (a number)
            return f"id = ({first})"
        return "id = 1" if self.table == "matches" else f"id = {self.job}"

    def apply(self, text: str) -> str:
        """The row's object, changed and sealed."""
        fields = json.loads(text)
        del fields["#"]
        self.change(fields)
        return seal_object(json.dumps(fields, separators=(",", ":")))

    def write(self, connection: sqlite3.Connection) -> None:
        find = f"SELECT {self.column} FROM {self.table} WHERE {self.where}"  # noqa: S608
        ((text,),) = connection.execute(find)
        store = f"UPDATE {self.table} SET {self.column} = ? WHERE {self.where}"  # noqa: S608
        connection.execute(store, (self.apply(text),))


def sound_database(directory: Path) -> Path:
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


def _cases(
    table: str, column: str, job: int, *fields: dict[str, Any], missing: str = ""
) -> list[RowCase]:
    """Cases for one row: fields removed, and fields with other values."""
    gone = [
        RowCase(table, column, job, lambda found, name=name: found.pop(name), f"without {name}")
        for name in missing.split()
    ]
    other = [
        RowCase(
            table, column, job, lambda found, values=values: found.update(values), f"{values!r:.60}"
        )
        for values in fields
    ]
    return gone + other


TERMS = _cases(
    *("matches", "terms", MATCH),
    {"form": "x"},
    {"a": {"a": 1}},
    {"b": None},
    {"games": "4"},
    {"games": None},
    {"games": True},
    {"games": -1},
    {"seats": "A" * 10_000},
    {"seats": ["fixed"]},
    {"seed": "1"},
    {"seed": 1 << 64},
    {"board": 5},
    {"board": "99x99"},
    {"board": "4" * 10_000},
    {"start": -1e308},
    {"start": math.inf},
    {"start": 10**30},
    {"time": 5},
    {"time": {"move": "x"}},
    {"time": {"move": True}},
    {"time": {"other": 1}},
    {"lenient": 1},
    {"sprt": [1]},
    {"sprt": {"other": 1}},
    {"sprt": TEST | {"beta": "x"}},
    {"corpus": 5},
    {"corpus": ["1"]},
    {"corpus": [-1]},
    missing="form a b games seats seed board start",
)
DEEP_PARAMETERS = _cases(
    *("jobs", "params", DEEP),
    {"moves": 1122},
    {"moves": "9"},
    {"weak": 0},
    {"split": "1"},
    {"split": 40},
    {"nodes": 1e9},
    missing="moves weak split nodes",
)
BOOK_PAYLOADS = _cases("units", "payload", BOOK, {"keys": 10**30}, missing="keys")
RESULTS = [
    *_cases("jobs", "params", ANALYZE, missing="zero_based"),
    *_cases(
        *("jobs", "params", BOOK),
        {"start": "x"},
        {"start": -1},
        {"ply": 1.5},
        {"ply": 17},
        {"columns": 1},
        {"within": 0},
        {"within": "0", "for": "both"},
        {"within": 0, "for": ["both"]},
        missing="start ply columns",
    ),
    *_cases(
        *("units", "payload", ANALYZE),
        {"line": "x"},
        {"entries": 5},
        {"entries": [5]},
        {"entries": ["9"]},
        {"entries": [{"key": 1.5}]},
        {"entries": [{"error": "x"}]},
        {"entries": [{"moves": 1}]},
        {"entries": ["1"] * 9},  # more positions than answers
        missing="entries line",
    ),
    *_cases("units", "payload", MATCH, missing="match"),
    *BOOK_PAYLOADS,
    *_cases("units", "payload", BOOK, {"keys": "é"}, {"keys": "AAAA"}),
    *_cases("units", "payload", DEEP, missing="key"),
    *_cases(
        *("units", "result", ANALYZE),
        {"score": 5},
        {"score": ["x", "x"]},
        {"nodes": [None, None]},
        {"nodes": [10**400, 10**400]},
        {"columns": [1, 2]},
        {"known": [[]]},
        missing="score nodes known seconds",
    ),
    *_cases("units", "result", BOOK, {"scores": "AAAA"}, {"scores": None}, missing="scores"),
]
"""The results that ``c4 jobs results`` reads."""

CASES = [*TERMS, *DEEP_PARAMETERS, *RESULTS]
