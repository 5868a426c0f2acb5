"""The functions for programmers; docs/python.md tests more of them."""

from pathlib import Path

import pytest

from c4core import Book, Position
from c4core.errors import PositionError
from db.database import Database
from workers import api
from workers.errors import BrokerUrlError

NAMES = [f"score_{column}" for column in range(1, 6)]


def test_rows_have_a_column_for_each_score() -> None:
    asked = ["1", "9", Position("2", board="5x4"), [3, 3], Position("4")]
    rows = api.analyze_many(asked, board="5x4", errors="none")
    scored = [rows[index] for index in (0, 2, 3)]
    assert all(isinstance(row[name], int) for row in scored for name in NAMES)
    assert [row["moves"] for row in rows] == ["1", None, "2", "33", None]
    assert [(row["line"], row["error"]) for row in rows if row["score"] is None] == [
        (2, "move 1: column 9 is outside the board (columns 1 to 5)"),
        (5, "the position is on 7x6, not on 5x4"),
    ]
    for row in scored:
        best = max(row[name] for name in NAMES)
        labels = [str(number) for number, name in enumerate(NAMES, 1) if row[name] == best]
        assert (row["score"], row["best"]) == (best, " ".join(labels))
    (zero,) = api.analyze_many(["0"], board="5x4", zero_based=True)
    assert zero["best"] == " ".join(str(int(label) - 1) for label in rows[0]["best"].split())
    assert api.solve_many([]) == []


def test_errors_end_the_call_unless_they_are_rows() -> None:
    with pytest.raises(PositionError, match="position 2: move 1: column x is outside"):
        api.solve_many(["4", "x9"], board="5x4")
    with pytest.raises(BrokerUrlError, match="give database="):
        api.solve_many(["4"], broker="redis://localhost")
    with pytest.raises(ValueError, match="ply is a number or a range"):
        api.query("c4.db", ply="four")


def test_limits_leave_bounds() -> None:
    (row,) = api.analyze_many([""], board="6x5", node_limit=0)
    assert row["score"] is None
    assert row["lower"] < row["upper"]
    (weak,) = api.solve_many(["4433"], board="5x4", weak=True)
    assert weak["value"] in {"win", "draw", "loss"}


def test_files_are_read_in_their_formats(tmp_path: Path) -> None:
    table, scored = tmp_path / "table.csv", tmp_path / "scored.txt"
    table.write_text("moves,score\n33,1\n")
    scored.write_text("33 1\n")
    seen: list[object] = []
    options = {"board": "5x4", "database": tmp_path / "c4.db", "progress": seen.append}
    (first,) = api.analyze_file(table, **options)
    (second,) = api.analyze_file(scored, format="c4solver", **options)
    assert first["score"] == second["score"]
    assert seen
    with pytest.raises(PositionError, match="position 1: '33' and '1' are two groups of moves"):
        api.analyze_file(scored, **options)
    with Database.open(str(tmp_path / "c4.db")) as database:
        (row,) = api.query(database, board="5x4", ply=2)
        assert [row[name] for name in NAMES] == [first[name] for name in NAMES]
        assert api.query(database, board="5x4", ply="..1") == []
        assert api.query(database, board="5x4", score=f"{row['score'] + 1}..") == []


def test_a_match_is_stored_and_found_again(tmp_path: Path) -> None:
    asked = {"games": 4, "board": "5x4", "judge": True, "database": tmp_path / "c4.db"}
    report = api.play_match("greedy", "random", **asked)
    assert report.games == report.judged_games == 4
    assert api.play_match("greedy", "random", **asked).match.id == report.match.id


def test_books_and_reviews(tmp_path: Path) -> None:
    info = api.build_book("5x4", 4, tmp_path / "a.c4book")
    with Book.open(tmp_path / "a.c4book") as book:
        assert book.info == info
    review = api.review("3-3-2", board="5x4", database=tmp_path / "c4.db")
    assert review.is_complete
    assert not api.review("", board="5x4").moves


def test_data_sets(tmp_path: Path) -> None:
    asked = {"board": "5x4", "count": 20, "plies": "8..10", "formats": ["jsonl"]}
    card = api.make_dataset(tmp_path / "set", only=["quiet"], split="1/0/0", **asked)
    assert card.positions == card.splits["train"]["positions"] == 20
