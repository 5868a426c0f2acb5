"""The views for other programs; docs/sql.md describes them."""

import re
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import text

from c4core import Position
from c4core.notation import BoardSize
from db.database import Database
from db.evaluations import store
from tests.support.boards.matches import game, store_match
from tests.support.running.databases import BOARD, clear, do, execute, make_job, row

PAGE = Path(__file__).parents[3] / "docs" / "sql.md"


def ask(database: Database, query: str) -> list[dict[str, Any]]:
    with database.read() as session:
        return [dict(found) for found in session.execute(text(query)).mappings()]


def test_positions(database: Database) -> None:
    key = Position("44").canonical_key
    big = (1 << 63) + 5
    with database.write() as session:
        scores = (-2, 0, 2, None, 2, 0, -128 + 1)
        full = row(key | 1 << 27, lower=2, upper=2, scores=scores)  # the top of column 4
        store(session, BOARD, [row(key, ply=2, lower=-1, upper=3, nodes=7), full])
        store(session, BoardSize(8, 7), [row(big, width=8, height=7, ply=3, lower=-4, upper=-4)])
    first, second, third = ask(database, "SELECT * FROM c4_positions ORDER BY board, lower")
    assert first["key"] == key
    assert (first["board"], first["ply"], first["side"], first["nodes"]) == ("7x6", 2, "x", 7)
    assert (first["lower"], first["upper"], first["score"], first["value"]) == (-1, 3, None, None)
    assert first["column_scores"] is None
    assert re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$", str(first["updated"]))
    assert (second["score"], second["value"]) == (2, "win")
    assert second["column_scores"] == "FE000280020081"
    assert int(third["key"]) == big
    assert (third["board"], third["side"], third["value"]) == ("8x7", "o", "loss")


@given(key=st.integers(0, 2**128 - 1) | st.integers(60, 127).map(lambda bits: 2**bits))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_keys_of_wide_boards(database: Database, key: int) -> None:
    clear(database)
    do(database, store, BOARD, [row(key)])
    final = game(0, final_key=key)
    store_match(database, [final])
    for view, column in (("c4_positions", "key"), ("c4_games", "final_key")):
        (found,) = ask(database, f"SELECT {column} AS found FROM {view}")  # noqa: S608
        assert (None if found["found"] is None else int(found["found"])) == (
            key if key < 2**64 else None
        )
        if database.dialect == "sqlite" and key < 2**64:
            assert isinstance(found["found"], int) == (key < 2**63)


def test_games(database: Database) -> None:
    seed = 2**64 - 1
    unknown = game(1, a_side="o", moves=None, seed=None, winner=None, ending="full")
    match_id = store_match(database, [game(0, seed=seed), unknown])
    first, second = ask(database, "SELECT * FROM c4_games ORDER BY number")
    assert (first["match"], first["number"], first["board"]) == (match_id, 0, "7x6")
    assert (first["player_x"], first["player_o"]) == ("set:fallback=vector", "random")
    assert (second["player_x"], second["player_o"]) == ("random", "set:fallback=vector")
    assert (first["winner"], second["winner"]) == ("x", "draw")
    assert (first["moves"], second["moves"]) == ("4343434", None)
    assert (int(first["seed"]), second["seed"]) == (seed, None)
    assert int(first["final_key"]) == Position("4343434").key


def test_jobs(database: Database) -> None:
    job_id = make_job(database, 3, positions=5, priority=4)
    execute(database, "UPDATE units SET state = 'done' WHERE seq = 1")
    (job,) = ask(database, "SELECT * FROM c4_jobs")
    assert (job["job"], job["kind"]) == (job_id, "test")
    assert (job["board"], job["state"]) == ("7x6", "running")
    assert (job["units"], job["units_done"], job["units_failed"]) == (3, 1, 0)
    assert (int(job["positions"]), int(job["positions_done"])) == (15, 5)
    assert (job["started"] is None, job["finished"]) == (False, None)


def test_every_column_is_described(database: Database) -> None:
    for view in ("c4_positions", "c4_games", "c4_jobs"):
        with database.read() as session:
            columns = set(session.execute(text(f"SELECT * FROM {view}")).keys())  # noqa: S608
        section = PAGE.read_text().partition(f"## {view}\n")[2].partition("\n## ")[0]
        cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
        assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == columns
