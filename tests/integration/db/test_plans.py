"""Plans of the queries behind the API and ``c4 query``: none reads a whole large table."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event, text

from c4core.version import ENGINE_VERSION
from db import evaluations, games
from db.database import Database, Session
from db.jobs import watching
from db.records.evaluations import Cursor, EvaluationFilter
from db.records.games import GameCursor, GameFilter
from db.records.jobs import JobState
from tests.support.boards.matches import game, store_match
from tests.support.running.databases import BOARD, make_job

LARGE = ("evaluations", "units", "games")

_SERIES = {
    "sqlite": "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series "
    "WHERE n < {rows})",
    "postgresql": "WITH series AS (SELECT n FROM generate_series(1::bigint, {rows}) AS n)",
}

_FILL = """INSERT INTO evaluations (width, height, key, key_high, ply, lower, upper, nodes,
engine_version, scores, updated_at) {series}
SELECT 7, 6, n * 1000003 % 8796093022208, 0, 8 + n % 25, n % 11 - 5,
n % 11 - 5 + CASE WHEN n % 50000 = 7 THEN 1 ELSE 0 END, n, {version}, NULL, 1.5 FROM series"""


def fill(database: Database, rows: int) -> int:
    """Store rows without column scores, a few with open bounds; a job and a match; its number."""
    series = _SERIES[database.dialect].format(rows=rows)
    with database.write() as session:
        session.execute(text(_FILL.format(series=series, version=ENGINE_VERSION)))
    make_job(database, 200)
    return store_match(database, [game(number) for number in range(200)])


def queries(match_id: int) -> dict[str, Callable[[Session], object]]:
    """The queries of the API and of ``c4 query`` by name."""
    conditions: list[dict[str, Any]] = [
        {},
        {"exact": True},
        {"exact": False},
        {"min_ply": 20},
        {"max_ply": 9},
        {"min_score": 5},
        {"max_score": -5},
        {"min_score": 50},
        {"has_scores": True},
        *({"value": value} for value in ("win", "draw", "loss")),
    ]
    found: dict[str, Callable[[Session], object]] = {}
    for given in conditions:
        filters = EvaluationFilter(board=BOARD, **given)
        for after in (None, Cursor(20, 5)):
            found[f"search {given} after {after}"] = lambda session, filters=filters, after=after: (
                evaluations.search(session, filters, after=after)
            )
        found[f"count {given}"] = lambda session, filters=filters: evaluations.count(
            session, filters
        )
    some = GameFilter(board=BOARD, winner="o")
    return found | {
        "find": lambda session: evaluations.find(session, BOARD, 1000003),
        "lookup": lambda session: evaluations.lookup(session, BOARD, range(500)),
        "jobs": watching.list_jobs,
        "running jobs": lambda session: watching.list_jobs(session, states=[JobState.RUNNING]),
        "job": lambda session: watching.get_job(session, 1),
        "totals": watching.totals,
        "results": lambda session: watching.unit_results(session, 1),
        "games": lambda session: games.list_games(session, GameFilter()),
        "some games": lambda session: games.list_games(session, some, after=GameCursor(1, 5)),
        "openings": lambda session: games.count_moves(session, BOARD, "44", most=1000),
        "game": lambda session: games.find_game(session, match_id, 1),
        "matches": games.list_matches,
        "match": lambda session: games.get_match(session, match_id),
        "match results": lambda session: games.read_results(session, match_id),
    }


def scans(database: Database, query: Callable[[Session], object]) -> list[str]:
    """The lines of the query's plans that read a large table without an index."""
    with _plans(database) as lines, database.read() as session:
        query(session)
    whole = re.compile(rf"Seq Scan on ({'|'.join(LARGE)})|SCAN ({'|'.join(LARGE)})$")
    return [line for line in lines if whole.search(line)]


@contextmanager
def _plans(database: Database) -> Iterator[list[str]]:
    """Collect the plans of every statement of the next session, with its parameters."""
    lines: list[str] = []
    statements: list[str] = []

    def begin(connection: Any) -> None:  # noqa: ANN401 (SQLAlchemy's event)
        driver = connection.connection.driver_connection
        if database.dialect == "sqlite":
            driver.set_trace_callback(statements.append)
            return
        driver.add_notice_handler(lambda notice: lines.extend(notice.message_primary.split("\n")))
        driver.execute("LOAD 'auto_explain'")
        driver.execute("SET auto_explain.log_min_duration = 0")
        driver.execute("SET auto_explain.log_level = notice")

    engine = database._engine
    engine.dispose()  # the next session has a new connection
    event.listen(engine, "begin", begin)
    try:
        yield lines
    finally:
        event.remove(engine, "begin", begin)
        engine.dispose()
    for statement in statements:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            with sqlite3.connect(str(engine.url.database)) as reader:
                explained = reader.execute(f"EXPLAIN QUERY PLAN {statement}")
                plan = [str(row[3]) for row in explained]
                # A page in the order of the primary key ends early.
                is_page = " LIMIT " in statement and not any("TEMP" in line for line in plan)
                lines.extend([] if is_page else plan)
            reader.close()


def test_no_query_reads_a_whole_table(database_url: str) -> None:
    with Database.open(database_url, read_seconds=600) as database:
        match_id = fill(database, 100_000)
        if database.dialect == "postgresql":
            with database._engine.begin() as connection:
                connection.exec_driver_sql("ANALYZE")
        assert scans(
            database, lambda session: session.scalar(text("SELECT sum(attempts) FROM units"))
        )
        found = {name: scans(database, query) for name, query in queries(match_id).items()}
    assert {name: lines for name, lines in found.items() if lines} == {}
