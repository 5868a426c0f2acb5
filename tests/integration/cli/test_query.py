import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from c4core.book import Book
from c4core.book.writer import write_book
from c4core.position import Position
from tests.support.boards.small_books import opening
from tests.support.running.command_line import C4
from workers.answers import question as answering

GAME = "2252576253462244111563365343671351441"


@pytest.fixture(scope="module")
def c4(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """A database of the last positions of a game."""
    c4 = C4(tmp_path_factory.mktemp("query"))
    lines = "".join(f"{GAME[:length]}\n" for length in range(28, len(GAME) + 1))
    assert c4("analyze", "-q", "-", stdin=lines).code == 0
    return c4


def test_formats_agree(c4: C4) -> None:
    array = json.loads(c4("query", "--json").out)
    assert [row["ply"] for row in array] == list(range(28, 38))
    assert c4("query", "--jsonl").objects == array
    text = c4("query", "--csv").out
    assert len(text.splitlines()) == 11
    table = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["key"]) for row in table] == [row["key"] for row in array]
    assert [row["grid"].split("/") for row in table] == [row["grid"].split() for row in array]
    assert all(len(row["scores"].split()) in {0, 7} for row in table)
    people = c4("query").out.splitlines()
    assert people[0].split()[:5] == ["ply", "side", "score", "to", "end"]
    assert len(people) == 11
    assert max(map(len, people)) <= 80
    for name in ("csv", "json", "jsonl"):
        assert c4("query", "-o", f"q.{name}").out == ""
        assert (c4.directory / f"q.{name}").read_text() == c4("query", f"--{name}").out


@pytest.mark.parametrize(
    ("conditions", "check"),
    [
        (["--ply", "30..32"], lambda row: 30 <= row["ply"] <= 32),
        (["--score", "1.."], lambda row: row["score"] >= 1),
        (["--score", "..-1"], lambda row: row["score"] <= -1),
        (["--value", "loss"], lambda row: row["value"] == "loss"),
        (["--exact", "--with-scores"], lambda row: row["scores"] is not None),
        (["--open"], lambda row: row["score"] is None),
        (["--board", "8x7"], lambda row: row["board"] == "8x7"),
    ],
)
def test_conditions(c4: C4, conditions: list[str], check: object) -> None:
    everything = c4("query", "--jsonl").objects
    assert callable(check)
    found = c4("query", "--jsonl", *conditions).objects
    assert found == [row for row in everything if check(row)]


def test_a_limit_says_that_there_are_more(c4: C4) -> None:
    everything = c4("query", "--jsonl")
    assert "There are more" not in everything.err
    some = c4("query", "--jsonl", "--limit", "3")
    assert some.objects == everything.objects[:3]
    assert "There are more than 3" in some.err


def test_positions_keep_the_orientation_of_the_query(c4: C4) -> None:
    mirrored = "".join(str(8 - int(move)) for move in GAME)
    done = c4("query", GAME, mirrored, "--jsonl")
    assert done.code == 0
    first, second = done.objects
    assert first["scores"] == [None, None, None, None, None, -1, -2]
    assert second["scores"] == first["scores"][::-1]
    assert first["key"] == second["key"]
    assert first["grid"] != second["grid"]


@pytest.fixture
def with_book(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[C4]:
    """An empty database, and a c4 that includes a book of 4x4 to ply 6."""
    assert C4(tmp_path)("db", "init").code == 0
    start = Position(board="4x4")
    write_book(tmp_path / "b.c4book", opening(start, 6), board=start.board)
    # Undo the changes here; undoing them later would restore the state that no_shipped_book made
    # for this test.
    with Book.open(tmp_path / "b.c4book") as book, monkeypatch.context() as changes:
        changes.setattr(
            answering, "_shipped", lambda board: book if board == book.info.board else None
        )
        answering.shipped_book.cache_clear()
        yield C4(tmp_path)
        answering.shipped_book.cache_clear()


def test_positions_are_looked_up_in_the_shipped_book(
    with_book: C4, dialogue: Callable[..., None]
) -> None:
    ask = "query --board 4x4 --jsonl"
    dialogue(
        with_book,
        f"{ask} 2332 1234123412",
        f"{ask} --no-book 2332",
        "solve --board 4x4 --no-book 2332",
        f"{ask} --no-book 2332",
        "query --board 4x4 --ply 2",  # stored positions only
    )


def test_the_shipped_book_has_the_same_name_in_all_commands(
    with_book: C4, dialogue: Callable[..., None]
) -> None:
    dialogue(
        with_book,
        "book probe --board 4x4 --json 2332",
        "book probe --board 4x4 --json 2332 --book shipped",
        "solve --board 4x4 --json --book shipped 2332",
        "solve --board 4x4 --json --book shipped 2332 --no-book",
        "book info shipped",  # no book of 7x6 is included
    )
