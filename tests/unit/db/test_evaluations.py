from contextlib import nullcontext
from functools import partial

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from sqlalchemy.orm import Session

from c4core.notation import BoardSize
from db.database import Database
from db.errors import ContradictionError, ReadOnlyError
from db.evaluations import boards, count, find, lookup, search, store, stream, summary
from db.records.evaluations import Cursor, EvaluationFilter, StoredEvaluation
from tests.support.running.databases import BOARD, ask, clear, do, on_sqlite, query_plans, row

TOP_KEY = 2**128 - 1
KEYS = (
    st.integers(0, TOP_KEY) | st.integers(0, 2**64 - 1) | st.integers(0, 9).map(lambda n: n << 64)
)
EVERYTHING = EvaluationFilter(board=BOARD)
SCORES = (1, None, -3, 0, 2, 1, 1)
FULL_SECOND_COLUMN = 1 << 13  # the topmost bit of column 1 on 7x6: seven bits a column


@pytest.fixture
def filled(database: Database) -> Database:
    """Three plies with a win, a draw and a loss each, one row with scores, one other board."""
    rows = [
        row(100 * ply + index, ply=ply, lower=score, upper=score)
        for ply in (5, 6, 7)
        for index, score in enumerate((3, 0, -4))
    ]
    rows.append(row(FULL_SECOND_COLUMN, ply=8, scores=SCORES))
    with database.write() as session:
        assert store(session, BOARD, rows[::2]) == 5
        assert store(session, BOARD, rows) == 5
        assert store(session, BoardSize(4, 4), [row(5, width=4, height=4, ply=3)]) == 1
    return database


def test_stored_rows_are_returned_with_a_time(database: Database) -> None:
    given = row(FULL_SECOND_COLUMN, scores=SCORES)
    assert do(database, store, BOARD, [given]) == 1
    found = ask(database, find, BOARD, given.key)
    assert found is not None
    assert found.updated_at > 1.7e9
    assert found == StoredEvaluation(
        given.key, 7, 6, 8, 2, 2, 100, given.engine_version, SCORES, found.updated_at
    )
    assert (found.score, found.is_exact, found.value) == (2, True, "win")
    finished = row(3, scores=(None,) * 7)
    assert do(database, store, BOARD, [finished]) == 1


@given(st.sets(KEYS, min_size=1, max_size=60))
@example({0, 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**65 + 1, 2**127 - 1, 2**127, TOP_KEY})
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_128_bit_keys_are_found_in_order(database: Database, keys: set[int]) -> None:
    clear(database)
    do(database, store, BOARD, [row(key, ply=key % 3, nodes=key % 97) for key in keys])
    # Keys from 2**127 come first: see db.sql.HighHalf.
    in_order = sorted(keys, key=lambda key: (key % 3, key - (key >> 127 << 128)))
    others = {key ^ 1 << 66 for key in keys}
    with database.read() as session:
        assert lookup(session, BOARD, list(keys | others)).keys() == keys | keys & others
        for key in keys | others:
            found = find(session, BOARD, key)
            assert (found.key if found else None) == (key if key in keys else None)
        every = list(stream(session, EVERYTHING))
        assert [found.key for found in every] == in_order
        assert count(session, EVERYTHING) == len(keys)
        pages, after = [], None
        while not pages or after is not None:
            page = search(session, EVERYTHING, after=after, limit=5)
            pages.append(page.rows)
            after = None if page.next is None else Cursor.parse(str(page.next))
        assert [len(rows) for rows in pages[:-1]] == [5] * ((len(keys) - 1) // 5)
        assert [found for rows in pages for found in rows] == every
    assert do(database, store, BOARD, every) == 0
    assert do(database, store, BOARD, []) == 0
    assert ask(database, lambda session: list(stream(session, EVERYTHING))) == every


@pytest.mark.parametrize("more", [0, 100])  # PostgreSQL stores few rows in another way than many
def test_keys_with_an_equal_low_half_are_different(database: Database, more: int) -> None:
    low, high = 12345, 12345 + (1 << 64)
    others = [row(key << 64) for key in range(2, 2 + more)]
    bounds = [row(low, lower=-4, upper=5), row(high, lower=-1, upper=3), *others]
    assert do(database, store, BOARD, bounds) == 2 + more
    tighter = [row(low, lower=0, upper=9), row(high, lower=-9, upper=2), *others]
    assert do(database, store, BOARD, tighter) == 2
    assert do(database, store, BOARD, tighter) == 0
    found = ask(database, lookup, BOARD, [low, high])
    assert {key: each[4:6] for key, each in found.items()} == {low: (0, 5), high: (-1, 2)}
    with database.write() as session:
        with pytest.raises(ContradictionError, match=f"position {high} of 7x6") as caught:
            store(session, BOARD, [*others, row(high, lower=3, upper=3)])
        assert caught.value.key == high


def test_lookup_omits_positions_that_are_missing_or_of_another_board(filled: Database) -> None:
    other = BoardSize(6, 7)
    do(filled, store, other, [row(700, width=6, height=7, lower=-3, upper=-3)])
    with filled.read() as session:
        found = lookup(session, BOARD, [700, 4, 501, 700])
        assert {key: each.score for key, each in found.items()} == {501: 0, 700: 3}
        assert lookup(session, other, [501, 700])[700].score == -3
        assert lookup(session, BOARD, []) == {}
        assert find(session, BOARD, 4) is None
        assert find(session, other, 501) is None


def test_lookup_accepts_more_keys_than_a_statement_has_parameters(database: Database) -> None:
    keys = range(0, 140_000, 2)
    with database.write() as session:
        store(session, BOARD, [row(key) for key in range(0, 140_000, 400)])
        assert len(lookup(session, BOARD, keys)) == 350


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lower": 3, "upper": 5}, r"position 5 of 7x6: stored score 2 .*new score 3 to 5"),
        ({"lower": -1, "upper": 1}, r"new score -1 to 1"),
        ({"scores": (2, 1, 1, 1, 1, 1, 1)}, "column scores"),
    ],
)
@pytest.mark.parametrize("more", [0, 100])  # PostgreSQL stores few rows in another way than many
def test_a_contradiction_is_reported_and_nothing_is_written(
    database: Database, changes: dict[str, object], message: str, more: int
) -> None:
    others = [row(key) for key in range(1000, 1000 + more)]
    do(database, store, BOARD, [row(5, scores=(2, 0, 0, 0, 0, 0, 0))])
    with database.write() as session:
        with pytest.raises(ContradictionError, match=message) as caught:
            store(session, BOARD, [row(4), row(5, **changes), row(6), *others])
        assert (caught.value.key, caught.value.width, caught.value.height) == (5, 7, 6)
        assert count(session, EVERYTHING) == 1  # the transaction can continue
        store(session, BOARD, [row(7)])
    assert sorted(ask(database, lookup, BOARD, [4, 5, 6, 7])) == [5, 7]


@on_sqlite
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row(width=6), "on 6x6, not on 7x6"),
        (row(2**128), "key is not a number of 128 bits"),
        (row(-1), "key is not a number of 128 bits"),
        (row(lower=1, upper=0), "bounds cross"),
        (row(scores=(1, 2)), "column scores"),
        (row(scores=SCORES), "column scores"),
        (row(9, lower=3, upper=3), "position 9 of 7x6"),  # contradicts another row of the call
    ],
)
def test_bad_evaluations_are_refused(
    database: Database, bad: StoredEvaluation, message: str
) -> None:
    with database.write() as session:
        with pytest.raises(ValueError, match=message):
            store(session, BOARD, [row(9), bad])
        assert count(session, EVERYTHING) == 0


FILTERS: list[tuple[dict[str, object], list[int]]] = [
    ({}, [500, 501, 502, 600, 601, 602, 700, 701, 702, FULL_SECOND_COLUMN]),
    ({"min_ply": 7}, [700, 701, 702, FULL_SECOND_COLUMN]),
    ({"max_ply": 5}, [500, 501, 502]),
    ({"min_ply": 6, "max_ply": 6}, [600, 601, 602]),
    ({"min_score": 1}, [500, 600, 700, FULL_SECOND_COLUMN]),
    ({"max_score": -4}, [502, 602, 702]),
    ({"min_score": 0, "max_score": 2}, [501, 601, 701, FULL_SECOND_COLUMN]),
    ({"value": "win"}, [500, 600, 700, FULL_SECOND_COLUMN]),
    ({"value": "draw"}, [501, 601, 701]),
    ({"value": "loss", "max_ply": 6}, [502, 602]),
    ({"exact": True, "min_ply": 7}, [700, 701, 702, FULL_SECOND_COLUMN]),
    ({"exact": False}, []),
    ({"has_scores": True}, [FULL_SECOND_COLUMN]),
    ({"has_scores": False, "min_ply": 7}, [700, 701, 702]),
]


def test_filters(filled: Database) -> None:
    with filled.read() as session:
        for conditions, keys in FILTERS:
            filters = EvaluationFilter(board=BOARD, **conditions)
            assert [found.key for found in search(session, filters).rows] == keys, conditions
            assert [found.key for found in stream(session, filters)] == keys, conditions
            assert count(session, filters) == len(keys), conditions


def test_a_limit_returns_the_first_rows(filled: Database) -> None:
    with filled.read() as session:
        every = list(stream(session, EVERYTHING))
        for limit in (2, 3, 99):
            assert list(stream(session, EVERYTHING, limit=limit)) == every[:limit]


def test_bounds_can_prove_an_outcome(database: Database) -> None:
    bounds = {"win": (1, 18), "loss": (-17, -1), None: (0, 18)}
    rows = [row(key, lower=low, upper=high) for key, (low, high) in enumerate(bounds.values())]
    assert [found.value for found in rows] == list(bounds)
    do(database, store, BOARD, rows)
    for value, expected in (("win", [0]), ("draw", []), ("loss", [1])):
        filters = EvaluationFilter(board=BOARD, value=value, exact=False)
        assert [found.key for found in ask(database, search, filters).rows] == expected


@pytest.mark.parametrize("text", ["", "7", "7:", ":5", "7:x", f"7:{2**128}", "-1:5"])
def test_bad_cursors_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        Cursor.parse(text)


def test_summary_and_boards(filled: Database) -> None:
    with filled.read() as session:
        assert boards(session) == {BoardSize(4, 4): 1, BOARD: 10}
        assert summary(session, BOARD) == [
            (5, 3, 3, 1, 1, 1, 0),
            (6, 3, 3, 1, 1, 1, 0),
            (7, 3, 3, 1, 1, 1, 0),
            (8, 1, 1, 1, 0, 0, 1),
        ]
        assert summary(session, BoardSize(5, 5)) == []


def test_transactions_are_isolated_and_readers_wait_for_no_writer(database: Database) -> None:
    def write(reader: Session) -> None:
        with database.write() as writer:
            store(writer, BOARD, [row()])
            assert count(reader, EVERYTHING) == 0
            assert ask(database, count, EVERYTHING) == 0
            if not is_kept:
                raise KeyError

    for is_kept in (False, True):
        with database.read() as reader:
            assert count(reader, EVERYTHING) == 0
            with nullcontext() if is_kept else pytest.raises(KeyError):
                write(reader)
            assert count(reader, EVERYTHING) == 0  # a reader sees one snapshot
        assert ask(database, count, EVERYTHING) == is_kept
    with pytest.raises(ReadOnlyError):
        ask(database, store, BOARD, [row()])
    assert do(database, store, BOARD, [row(2)]) == 1


def test_every_query_uses_an_index(untouched: Database) -> None:
    """The tables have no statistics, as if they had just been filled."""
    do(untouched, store, BOARD, [row(key, ply=key % 42) for key in range(20_000)])
    plans = query_plans(untouched, lambda session: lookup(session, BOARD, range(20)))
    assert "pk_evaluations" in plans or "USING PRIMARY KEY" in plans
    for filters in (EVERYTHING, EvaluationFilter(board=BOARD, min_ply=3)):
        after = Cursor(20, 5_000)
        page = partial(search, filters=filters, after=after, limit=10)
        plans = query_plans(untouched, page)
        assert "ix_evaluations_width_height_ply_key" in plans
        # All columns of the cursor are used to find the place.
        assert "(ply,key_high,key)>(?,?,?)" in plans or "ROW(ply, key_high, key) > ROW(" in plans
