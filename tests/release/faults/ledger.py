"""The history of every unit, recorded by a trigger in the database itself.

The times are the database's, taken while a change is made. The clocks of the other processes do not
matter.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from math import inf
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg.rows import TupleRow

TRIGGER = """
CREATE TABLE unit_log (
    at DOUBLE PRECISION NOT NULL, unit BIGINT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
    held_by TEXT, taken_by TEXT, fence INTEGER NOT NULL, handed_back BOOLEAN NOT NULL
);
CREATE FUNCTION log_unit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unit_log VALUES (
        extract(epoch FROM clock_timestamp()), NEW.id, OLD.state, NEW.state, OLD.owner, NEW.owner,
        NEW.fence, NEW.attempts < OLD.attempts
    );
    RETURN NULL;
END $$;
CREATE TRIGGER log_unit AFTER UPDATE ON units FOR EACH ROW
    WHEN (OLD.state <> NEW.state OR OLD.fence <> NEW.fence) EXECUTE FUNCTION log_unit();
"""


class Change(NamedTuple):
    """A change of a unit's state or owner."""

    at: float
    unit: int
    before: str
    after: str
    held_by: str | None
    taken_by: str | None
    fence: int
    handed_back: bool
    """Whether the holder released it, keeping the results stored so far."""

    @property
    def is_claim(self) -> bool:
        return self.after == "leased"


class Ledger:
    """Queries about the units of a database; each connects anew, because the server may restart."""

    def __init__(self, url: str) -> None:
        self._url = url
        with self._connect() as connection:
            connection.execute(TRIGGER)

    def now(self) -> float:
        return float(self._ask("SELECT extract(epoch FROM clock_timestamp())")[0][0])

    def is_working(self, owner: str) -> bool:
        return bool(self._ask("SELECT FROM units WHERE state = 'leased' AND owner = %s", owner))

    def units(self) -> dict[str, int]:
        return dict(self._ask("SELECT state, count(*) FROM units GROUP BY state"))

    def job_state(self, job_id: int) -> str:
        return str(self._ask("SELECT state FROM jobs WHERE id = %s", job_id)[0][0])

    def job_seconds(self, job_id: int) -> float:
        query = "SELECT finished_at - started_at FROM jobs WHERE id = %s"
        return float(self._ask(query, job_id)[0][0])

    def evaluations(self) -> dict[int, tuple[int, int]]:
        """The stored lower and upper bounds by key; fails if a key occurs twice."""
        rows = self._ask("SELECT key, lower, upper FROM evaluations")
        found = {key: (lower, upper) for key, lower, upper in rows}
        assert len(found) == len(rows)
        return found

    def changes(self) -> list[Change]:
        return [Change(*row) for row in self._ask("SELECT * FROM unit_log ORDER BY at, fence")]

    def _ask(self, query: LiteralString, *values: object) -> Sequence[TupleRow]:
        with self._connect() as connection:
            return connection.execute(query, values).fetchall()

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._url, autocommit=True, connect_timeout=5)


def held(
    changes: Sequence[Change], owners: Collection[str], since: float, until: float
) -> frozenset[int]:
    """The units that any of the owners held during an interval."""
    ends: dict[int, float] = {}
    found = set()
    for change in reversed(changes):
        is_theirs = change.is_claim and change.taken_by in owners
        if is_theirs and change.at <= until and ends.get(change.unit, inf) >= since:
            found.add(change.unit)
        ends[change.unit] = change.at
    return frozenset(found)


def free_again(changes: Iterable[Change], unit: int, after: float) -> float:
    """Seconds until a held unit was free or claimed by another worker."""
    return _first(changes, after, lambda each: each.unit == unit and each.before == "leased")


def taken_again(changes: Iterable[Change], unit: int, after: float) -> float:
    """Seconds until a unit was claimed again."""
    return _first(changes, after, lambda each: each.unit == unit and each.is_claim)


def first_claim(changes: Iterable[Change], after: float, by: str = "") -> float:
    """Seconds until the first new claim, optionally by a worker whose name starts with a prefix."""
    return _first(
        changes, after, lambda each: each.is_claim and (each.taken_by or "").startswith(by)
    )


def done_twice(changes: Iterable[Change]) -> int:
    """Completions of units after the first one."""
    done = Counter(change.unit for change in changes if change.after == "done")
    return sum(done.values()) - len(done)


def taken_twice(changes: Sequence[Change]) -> int:
    """Claims of units after the first one, except claims of released units."""
    claims = Counter(change.unit for change in changes if change.is_claim)
    return sum(claims.values()) - len(claims) - sum(change.handed_back for change in changes)


def _first(changes: Iterable[Change], after: float, fits: Callable[[Change], bool]) -> float:
    return next((each.at - after for each in changes if each.at > after and fits(each)), inf)
