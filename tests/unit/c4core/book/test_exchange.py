"""Books in other programs' formats: they survive export and import, and bad input is reported."""

import os
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from syrupy.assertion import SnapshotAssertion

from c4core import BoardSize, KeyValueError, Position
from c4core.arrays import open_plies
from c4core.book import Book, exchange, foreign
from c4core.book.numbering import pons_keys, read_pons_keys
from c4core.book.writer import write_book
from c4core.errors import BookContentError, BookError, BookForeignError, BookTruncatedError
from c4core.evaluation import NO_SCORE, Value
from tests.support.boards.small_books import small_book
from tests.support.memory import memory_below
from tests.support.refusals import refusal

START_KEY = Position().key
PLACES = foreign.table_size(21)
"""Table size of the smallest book of Pons's solver."""


@pytest.fixture(params=["complete", "sparse"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Book:
    kind = request.param
    path = tmp_path / "a.c4book"
    small_book(path, width=4, height=4, moves="1" if kind == "sparse" else "", kind=kind)
    return Book.open(path)


def test_books_round_trip_through_json_and_csv(book: Book, tmp_path: Path) -> None:
    lines, rows = list(exchange.json_lines(book)), list(exchange.csv_lines(book))
    assert len(lines) == len(rows) == len(book) + 1
    assert rows[0] == "ply,key,score"
    from_rows = exchange.read_csv_lines(rows, start=book.info.start, kind=book.info.kind)
    for content in (exchange.read_json_lines(lines), from_rows):
        content.write(tmp_path / "b.c4book")
        assert (tmp_path / "b.c4book").read_bytes() == Path(book.path).read_bytes()


def test_parquet_without_its_package(
    book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from c4core.book.exchange import write_parquet  # noqa: PLC0415

    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(BookError, match=r"pip install pyarrow"):
        write_parquet(book, tmp_path / "a.parquet")


def test_lines_of_other_programs_are_read() -> None:
    position = Position("4453")
    content = exchange.read_json_lines(
        ["", f'{{"key": "{position.mirrored().key}", "score": 2, "who": "me"}}', "  \n"]
    )
    assert (content.kind, content.start) == ("sparse", Position())
    assert [len(keys) for keys, _ in content.levels] == [0, 0, 0, 0, 1]
    assert content.levels[4][0].tolist() == [position.canonical_key]
    content = exchange.read_csv_lines(["score,note,key\n", f"-1,x,{START_KEY}\n"])
    assert content.levels[0][1].tolist() == [-1]


GOOD_LINE = f'{{"key": {START_KEY}, "score": 1}}'

BAD_LINES = [
    "{", "[]", "{}", '{"key": true, "score": 0}', '{"key": "x", "score": 0}',
    '{"key": -1, "score": 0}', '{"key": 18446744073709551616, "score": 0}',
    f'{{"key": {START_KEY}}}', f'{{"key": {START_KEY}, "score": 200}}', '{"key": 5, "score": 1}',
]  # fmt: skip


def test_bad_json_lines_are_reported(snapshot: SnapshotAssertion) -> None:
    """Empty lines are counted, too."""
    large = {"nested too deeply": "[" * 200_000, "5000 digits": f'{{"key": {"9" * 5000}}}'}
    assert {
        name: refusal(exchange.read_json_lines, [GOOD_LINE, "", line, GOOD_LINE])
        for name, line in [*zip(BAD_LINES, BAD_LINES, strict=True), *large.items()]
    } == snapshot


def test_bad_descriptions_are_reported(snapshot: SnapshotAssertion) -> None:
    descriptions = [
        '{"board": "9"}', '{"board": 9}', '{"board": "7x6", "start": 0}', '{"start": 1e999}',
        '{"start": "x"}', '{"kind": ["sparse"]}', '{"kind": "thin"}', '{"description": 5}',
        '{"engine_version": -1}', r'{"description": "\ud800"}',
    ]  # fmt: skip
    assert {
        about: refusal(exchange.read_json_lines, [f'{{"book": {about}}}'], error=BookContentError)
        for about in descriptions
    } == snapshot


def test_bad_csv_is_reported(snapshot: SnapshotAssertion) -> None:
    assert {
        name: refusal(exchange.read_csv_lines, lines, error=BookContentError)
        for name, lines in {
            "other columns": ["a,b", "1,2"],
            "no lines": [],
            "no score": ["key,score", f"{START_KEY},1", f"{START_KEY}"],
            "a long name": ["key,score," + "x" * 140_000],
            "a long value": ["key,score", f"{START_KEY},1", "1" * 140_000 + ",1"],
            "a long number": ["key,score", "9" * 60_000 + ",0"],
        }.items()
    } == snapshot
    with pytest.raises(BookContentError, match="line 2: new-line"):
        exchange.read_csv_lines(["key,score", f"{START_KEY}\r2,1\n"])
    with pytest.raises(KeyValueError, match=r"^line 3: 5 is not a key") as caught:
        exchange.read_csv_lines(["key,score", f"{START_KEY},1", "5,1"])
    assert caught.value.key == 5


def test_contradictions_and_foreign_positions_are_refused() -> None:
    key = np.array([Position("1").key, Position("7").key], dtype=np.uint64)
    with pytest.raises(BookContentError, match="has the scores"):
        exchange.levels_of(key, np.array([1, 2], dtype=np.int8), Position())
    levels = exchange.levels_of(key, np.array([1, 1], dtype=np.int8), Position())
    assert [len(keys) for keys, _ in levels] == [0, 1]
    with pytest.raises(BookContentError, match="fewer stones than the start"):
        exchange.levels_of(key, np.array([1, 1], dtype=np.int8), Position("44"))
    with pytest.raises(KeyValueError):
        exchange.levels_of(key - key, np.array([1, 1], dtype=np.int8), Position())


# The UCI data set.


def zero_levels(last_ply: int) -> list[tuple[NDArray[np.uint64], NDArray[np.int8]]]:
    """The first plies of 7x6; every score is 0."""
    plies = islice(open_plies(Position()), last_ply + 1)
    return [(keys, np.zeros(len(keys), dtype=np.int8)) for keys in plies]


def test_the_uci_data_set_has_all_its_rows(tmp_path: Path) -> None:
    levels = zero_levels(8)
    write_book(tmp_path / "a.c4book", levels, start=Position())
    lines = list(foreign.uci_lines(Book.open(tmp_path / "a.c4book")))
    assert len(lines) == len(set(lines)) == 67_557
    rows = list(foreign.read_uci_lines(line + "\n" for line in lines[:500]))
    keys = np.array([position.key for position, _ in rows], dtype=np.uint64)
    assert np.array_equal(foreign.uci_keys(levels[8][0])[:500], keys)
    assert {value for _, value in rows} == {"draw"}
    assert [foreign.uci_line(*row) for row in rows] == lines[:500]


def test_uci_rows_get_their_scores_from_a_book(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    level = np.array([START_KEY], dtype=np.uint64), np.array([1], dtype=np.int8)
    write_book(path, [level], start=Position())
    rows: list[tuple[str, Value]] = [("", "win"), ("", "loss"), ("44", "win")]
    lines = [foreign.uci_line(Position(moves), value) for moves, value in rows]
    with Book.open(path) as book:
        content, wrong = foreign.content_of_rows(lines, book, description="two rows")
    assert wrong == ["row 2: loss, but the score is 1", f"row 3: {path} does not have the position"]
    assert [level.tolist() for level in content.levels[0]] == [[START_KEY], [1]]
    assert content.description == "two rows"


def test_a_complete_book_may_not_lack_a_position(book: Book) -> None:
    content = exchange.read_json_lines(exchange.json_lines(book))
    content.check_complete()
    *others, (keys, scores) = content.levels
    lacking = exchange.BookContent(
        content.start, (*others, (keys[1:], scores[1:])), kind=content.kind
    )
    if content.kind == "sparse":
        lacking.check_complete()
    else:
        with pytest.raises(BookContentError, match=f"does not have exactly the {len(keys):,} "):
            lacking.check_complete()


def test_uci_rows(snapshot: SnapshotAssertion) -> None:
    line = foreign.uci_line(Position("44"), "win")
    fields = line.split(",")
    assert (fields[18:20], line.count("b")) == (["x", "o"], 40)
    assert next(foreign.read_uci_lines(["\n", line])) == (Position("44"), "win")
    assert {
        name: refusal(list, foreign.read_uci_lines([",".join(row)]), error=BookContentError)
        for name, row in {
            "42 fields": fields[1:],
            "an unknown result": [*fields[:-1], "won"],
            "an unknown stone": ["X", *fields[1:]],
            "a stone above nothing": ["b", "x", *fields[2:]],
        }.items()
    } == snapshot


def test_books_that_another_format_cannot_hold_are_refused(book: Book, tmp_path: Path) -> None:
    with pytest.raises(BookContentError, match="needs a complete book of 7x6"):
        list(foreign.uci_lines(book))
    write_book(tmp_path / "b.c4book", zero_levels(3), start=Position())
    with pytest.raises(BookContentError, match="the book ends at ply 3"):
        list(foreign.uci_lines(Book.open(tmp_path / "b.c4book")))
    if book.info.first_ply:
        with pytest.raises(BookContentError, match="from the empty board"):
            foreign.write_pons(book, tmp_path / "a.book")


# Books of Pons's solver.


def slow_pons_key(position: Position) -> int:
    """The key by its definition, digit by digit."""
    numbers = []
    for columns in (range(position.width), reversed(range(position.width))):
        digits = ""
        for column in columns:
            stones = [position.stone_at(column, row) for row in range(position.heights[column])]
            digits += "".join("1" if stone == position.turn else "2" for stone in stones) + "0"
        numbers.append(int(digits[:-1], 3))
    return min(numbers)


def test_pons_keys() -> None:
    assert slow_pons_key(Position("45")) == 3**4 + 2 * 3**2
    for ply, keys in enumerate(islice(open_plies(Position()), 7)):
        some = keys[:: 1 + ply * 5].copy()
        numbers = pons_keys(some)
        assert numbers.tolist() == [slow_pons_key(Position.from_key(key)) for key in some.tolist()]
        assert np.array_equal(read_pons_keys(numbers), some)
    wrong = np.array([1, 3**39, 3**7 - 1, 2 + 2 * 3 + 2 * 9], dtype=np.uint64)
    assert not read_pons_keys(wrong).any()
    assert [foreign.table_size(log2) for log2 in (3, 16, 21, 23)] == [11, 65537, 2097169, 8388617]
    assert foreign.lowest_score(BoardSize(7, 6)) == -18


def test_pons_books_round_trip(tmp_path: Path) -> None:
    path, other = tmp_path / "a.c4book", tmp_path / "7x6.book"
    levels = small_book(path, width=4, height=4)
    book = Book.open(path)
    written = foreign.write_pons(book, other)
    assert written.bytes == other.stat().st_size == 6 + 2097169 * 2
    assert other.read_bytes()[:6] == bytes([4, 4, 15, 1, 1, 21])
    assert written.stored + written.lost == len(book)
    assert written.lost < 0.05 * len(book)
    content = foreign.read_pons(other)
    found = np.concatenate([keys for keys, _ in content.levels])
    scores = np.concatenate([scores for _, scores in content.levels])
    assert len(found) == written.stored
    assert np.array_equal(book.probe_many(found), scores)
    assert np.array_equal(content.levels[5][0], levels[5][0])


def test_a_pons_book_made_by_hand_is_read(tmp_path: Path) -> None:
    """Two positions, placed as the format's description says."""
    keys, values = np.zeros(PLACES, dtype="<u2"), np.zeros(PLACES, dtype=np.uint8)
    for moves, score in (("", 1), ("4", -1), ("1", 2)):
        number = slow_pons_key(Position(moves))
        keys[number % PLACES], values[number % PLACES] = number % (1 << 16), score + 18 + 1
    path = tmp_path / "7x6.book"
    path.write_bytes(bytes([7, 6, 1, 2, 1, 21]) + keys.tobytes() + values.tobytes())
    foreign.read_pons(path).write(tmp_path / "b.c4book")
    answers = Book.open(tmp_path / "b.c4book").probe_many(["", "4", "1", "7", "2"])
    assert answers.tolist() == [1, -1, 2, 2, NO_SCORE]


def pons_file(*, keys: int = PLACES * 2, first_value: int = 0, last_value: int = 0) -> bytes:
    """A book of the smallest size with no positions, except for given values."""
    head = bytes([7, 6, 1, 2, 1, 21]) + bytes(keys)
    return head + bytes([first_value]) + bytes(PLACES - 2) + bytes([last_value])


def test_bad_pons_books_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    def said(data: bytes) -> str:
        path = tmp_path / "7x6.book"
        path.write_bytes(data)
        return refusal(foreign.read_pons, path, error=BookError, hiding=tmp_path)

    assert {
        name: said(data)
        for name, data in {
            "half a header": b"\x07\x06",
            "cut off": bytes([7, 6, 8, 1, 1, 21]) + b"0" * 1000,
            "ply 43": bytes([7, 6, 43, 1, 1, 21]),
            "width 70": bytes([70, 6, 8, 1, 1, 21]),
            "keys of 3 bytes": bytes([7, 6, 8, 3, 1, 21]),
            "scores of 2 bytes": bytes([7, 6, 8, 1, 2, 21]),
            "2**41 places": bytes([7, 6, 8, 1, 1, 41]),
            "2**20 places": bytes([7, 6, 8, 1, 1, 20]),
            "2 places": bytes([7, 6, 1, 4, 1, 1]) + bytes(15),
            "too few bits": bytes([7, 6, 30, 1, 1, 21]),
            "a byte too many": pons_file(keys=PLACES * 2 + 1),
            "a value without a key": pons_file(last_value=1),
            "a value of 255": pons_file(first_value=255),
        }.items()
    } == snapshot


def test_the_size_of_a_pons_book_is_checked_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.book"
    for header, error in (
        (bytes([7, 6, 14, 2, 1, 27]), BookTruncatedError),
        (bytes(6), BookForeignError),
        (b"PK\x03\x04\x00\x00", BookForeignError),
    ):
        for length in (6, 1 << 28):
            path.write_bytes(header)
            os.truncate(path, length)  # the file is sparse and takes no space on the disk
            with memory_below(1_000_000), pytest.raises(error):
                foreign.read_pons(path)


def test_an_endless_line_is_not_kept_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"1" * 20_000_000)
    for read in (exchange.read_json_lines, exchange.read_csv_lines, foreign.read_uci_lines):
        refused = pytest.raises(BookContentError, match="line 1 has more than")
        with path.open() as file, memory_below(2_000_000), refused:
            list(read(exchange.text_lines(file)))
