"""JSON in database rows that c4 would not have stored."""

import json
import math
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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
        """The row's object, changed."""
        fields = json.loads(text)
        self.change(fields)
        return json.dumps(fields)

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
    row: tuple[str, str, int], missing: str, wrong: dict[str, list[Any]], *more: dict[str, Any]
) -> list[RowCase]:
    """Cases for one row: each of the fields removed; each wrong value; and several wrong fields."""
    gone = [
        RowCase(*row, lambda found, name=name: found.pop(name), f"without {name}")
        for name in missing.split()
    ]
    single = [{name: value} for name, values in wrong.items() for value in values]
    return gone + [
        RowCase(*row, lambda found, fields=fields: found.update(fields), f"{fields!r:.60}")
        for fields in [*single, *more]
    ]


WRONG_TERMS = {
    "form": ["x"],
    "a": [{"a": 1}],
    "b": [None],
    "games": ["4", None, True, -1],
    "seats": ["A" * 10_000, ["fixed"]],
    "seed": ["1", 1 << 64],
    "board": [5, "99x99", "4" * 10_000],
    "start": [-1e308, math.inf, 10**30],
    "time": [5, {"move": "x"}, {"move": True}, {"other": 1}],
    "lenient": [1],
    "sprt": [[1], {"other": 1}, TEST | {"beta": "x"}],
    "corpus": [5, ["1"], [-1]],
}
WRONG_DEEP = {"moves": [1122, "9"], "weak": [0], "split": ["1", 40], "nodes": [1e9]}
WRONG_BOOK = {"start": ["x", -1], "ply": [1.5, 17], "columns": [1], "within": [0]}
BOTH = ({"within": "0", "for": "both"}, {"within": 0, "for": ["both"]})
WRONG_RESULT = {
    "score": [5, ["x", "x"]],
    "nodes": [[None, None], [10**400, 10**400]],
    "columns": [[1, 2]],
    "known": [[[]]],
}
ENTRIES = [5, [5], ["9"], [{"key": 1.5}], [{"error": "x"}], [{"moves": 1}], ["1"] * 9]
"""The last one has more positions than answers."""

TERMS = _cases(("matches", "terms", MATCH), "form a b games seats seed board start", WRONG_TERMS)
DEEP_PARAMETERS = _cases(("jobs", "params", DEEP), "moves weak split nodes", WRONG_DEEP)
BOOK_PAYLOADS = _cases(("units", "payload", BOOK), "keys", {"keys": [10**30]})
RESULTS = [
    *_cases(("jobs", "params", ANALYZE), "zero_based", {}),
    *_cases(("jobs", "params", BOOK), "start ply columns", WRONG_BOOK, *BOTH),
    *_cases(("units", "payload", ANALYZE), "entries line", {"line": ["x"], "entries": ENTRIES}),
    *_cases(("units", "payload", MATCH), "match", {}),
    *BOOK_PAYLOADS,
    *_cases(("units", "payload", BOOK), "", {"keys": ["é", "AAAA"]}),
    *_cases(("units", "payload", DEEP), "key", {}),
    *_cases(("units", "result", ANALYZE), "score nodes known seconds", WRONG_RESULT),
    *_cases(("units", "result", BOOK), "scores", {"scores": ["AAAA", None]}),
]
"""The results that ``c4 jobs results`` reads."""

CASES = [*TERMS, *DEEP_PARAMETERS, *RESULTS]
