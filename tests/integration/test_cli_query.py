import csv
import io
import json

import pytest

from tests.support.command_line import C4
from tests.support.small_books import small_book

GAME = "2252576253462244111563365343671351441"


@pytest.fixture(scope="module")
def c4(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """A database of the last positions of a game."""
    c4 = C4(tmp_path_factory.mktemp("query"))
    lines = "".join(f"{GAME[:length]}\n" for length in range(28, len(GAME) + 1))
    assert c4("analyze", "-q", "-", stdin=lines).code == 0
    return c4


def test_all_in_order(c4: C4) -> None:
    rows = json.loads(c4("query", "--json").out)
    assert [row["ply"] for row in rows] == list(range(28, 38))
    assert c4("query", "--count").out == "10\n"


def test_formats_agree(c4: C4) -> None:
    array = json.loads(c4("query", "--json").out)
    assert c4("query", "--jsonl").objects == array
    table = list(csv.DictReader(io.StringIO(c4("query", "--csv").out)))
    assert [int(row["key"]) for row in table] == [row["key"] for row in array]
    assert [row["grid"].split("/") for row in table] == [row["grid"].split() for row in array]
    assert all(len(row["scores"].split()) in {0, 7} for row in table)
    assert len(c4("query", "--csv").out.splitlines()) == 11
    people = c4("query").out.splitlines()
    assert people[0].split()[:4] == ["ply", "side", "score", "plies"]
    assert len(people) == 11
    assert max(map(len, people)) <= 80


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


def test_pages_join_without_gap(c4: C4) -> None:
    joined, cursor = [], "0:0"
    for _ in range(10):
        page = c4("query", "--jsonl", "--limit", "3", "--after", cursor)
        joined += page.objects
        if "--after" not in page.err:
            break
        cursor = page.err.split()[-1]
        assert cursor == f"{joined[-1]['ply']}:{joined[-1]['key']}"
    assert joined == c4("query", "--jsonl").objects


def test_positions_as_they_were_asked(c4: C4) -> None:
    mirrored = "".join(str(8 - int(move)) for move in GAME)
    done = c4("query", GAME, mirrored, "--jsonl")
    assert done.code == 0
    first, second = done.objects
    assert first["scores"] == [None, None, None, None, None, -1, -2]
    assert second["scores"] == first["scores"][::-1]
    assert first["key"] == second["key"]
    assert first["grid"] != second["grid"]


def test_position_that_is_not_stored(c4: C4) -> None:
    done = c4("query", "1", GAME, "--jsonl")
    assert done.code == 1
    assert [row["stored"] for row in done.objects] == [False, True]
    assert "unknown" in c4("query", "1").out


def test_line_of_play(c4: C4) -> None:
    done = c4("query", "--line", GAME, "--jsonl")
    assert [row["moves"] for row in done.objects] == [GAME[:n] for n in range(len(GAME) + 1)]
    assert [row["stored"] for row in done.objects] == [False] * 28 + [True] * 10


@pytest.mark.parametrize(
    "arguments",
    [
        ["--line"],
        ["44", "--ply", "2"],
        ["--count", "44"],
        ["--after", "x"],
        ["--ply", "3..1"],
        ["8"],
        ["--book", "nope"],
        ['{"key": 4432676798593}', "--line"],
    ],
)
def test_bad_arguments(c4: C4, arguments: list[str]) -> None:
    done = c4("query", *arguments)
    assert done.code == 2
    assert done.err.startswith("Usage: c4 query")


def test_count_in_every_format(c4: C4) -> None:
    for arguments in (["--json", "query", "--count"], ["query", "--count", "--json"]):
        assert json.loads(c4(*arguments).out) == {"count": 10}
    assert c4("query", "--count", "--jsonl").objects == [{"count": 10}]
    assert c4("query", "--count", "--csv").out == "count\n10\n"


def test_columns_are_counted_as_asked(c4: C4) -> None:
    for arguments in (["query"], ["query", "".join(str(int(move) - 1) for move in GAME)]):
        heading, *_ = c4(*arguments, "--zero-based").out.splitlines()
        assert " 0   1   2   3   4   5   6" in heading


def test_nothing_is_an_answer(c4: C4) -> None:
    done = c4("query", "--ply", "3")
    assert (done.code, done.out, done.err) == (0, "", "No such position is stored.\n")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """A directory with the whole of 4x4 as a book; the database is empty."""
    directory = tmp_path_factory.mktemp("query-book")
    small_book(directory / "b.c4book", width=4, height=4)
    return C4(directory)


ASK = ("query", "--board", "4x4", "--book", "b.c4book")


def test_a_book_is_asked_like_the_database(small: C4) -> None:
    rows = small(*ASK, "--ply", "3..5", "--jsonl").objects
    assert [(row["ply"], row["key"]) for row in rows] == sorted(
        (row["ply"], row["key"]) for row in rows
    )
    assert small(*ASK, "--ply", "3..5", "--count").out == f"{len(rows)}\n"
    for row in rows[::50]:
        line = json.dumps({"key": row["key"]})
        (solved,) = small(
            "solve", "--board", "4x4", "--no-store", "--json", "-", stdin=line
        ).objects
        assert (row["score"], row["scores"]) == (solved["score"], solved["scores"])
    conditions = {"--value=draw": 0, "--score=1..": 1, "--score=..-1": -1}
    parts = [small(*ASK, "--ply=3..5", "--jsonl", condition).objects for condition in conditions]
    assert sum(len(part) for part in parts) == len(rows)
    for part, sign in zip(parts, conditions.values(), strict=True):
        assert all((row["score"] > 0) - (row["score"] < 0) == sign for row in part)
    assert small(*ASK, "--open", "--count").out == "0\n"


def test_a_book_is_read_page_by_page(small: C4) -> None:
    everything = small(*ASK, "--ply=..4", "--jsonl").objects
    begun = small(*ASK, "--ply=..4", "--limit=20", "--jsonl")
    cursor = begun.err.split("--after ")[1].strip()
    rest = small(*ASK, "--ply=..4", "--after", cursor, "--jsonl").objects
    assert begun.objects + rest == everything


def test_positions_and_lines_from_a_book(small: C4) -> None:
    rows = small(*ASK, "--line", "2332", "--jsonl").objects
    assert [row["moves"] for row in rows] == ["", "2", "23", "233", "2332"]
    assert all(row["stored"] and row["score"] is not None for row in rows)
    (mirrored,) = small(*ASK, "3223", "--jsonl").objects
    assert mirrored["scores"] == rows[-1]["scores"][::-1]


@pytest.mark.parametrize(
    ("book", "board", "told"),
    [("b.c4book", "5x4", "4x4"), ("no.c4book", "4x4", "no.c4book"), ("shipped", "4x4", "4x4")],
)
def test_a_book_that_cannot_be_asked(small: C4, book: str, board: str, told: str) -> None:
    done = small("query", "--board", board, "--book", book)
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err
