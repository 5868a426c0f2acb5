"""Books for other programs: JSON Lines, and the format of Pascal Pons's solver."""

import json
from itertools import islice
from pathlib import Path

from c4core import Position
from c4core.arrays import open_plies
from c4core.book import Book, exchange
from c4core.book.numbering import pons_keys
from c4core.notation import BoardSize
from tests.support.boards.small_books import small_book


def test_json_lines_have_every_position(tmp_path: Path) -> None:
    levels = small_book(tmp_path / "a.c4book", board="4x4")
    with Book.open(tmp_path / "a.c4book") as book:
        about, *lines = map(json.loads, exchange.json_lines(book))
    assert about == {
        "book": {"board": "4x4", "plies": 15, "positions": len(lines), "engine_version": 1}
    }
    expected = [
        {"ply": ply, "key": key, "score": score}
        for ply, (keys, scores) in enumerate(levels)
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True)
    ]
    assert lines == expected


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
        numbers = pons_keys(some, BoardSize(7, 6))
        assert numbers.tolist() == [slow_pons_key(Position.from_key(key)) for key in some.tolist()]
    assert [exchange.table_size(log2) for log2 in (3, 16, 21, 23)] == [11, 65537, 2097169, 8388617]
    assert exchange.lowest_score(BoardSize(7, 6)) == -18


def test_a_pons_book_has_the_scores_at_their_places(tmp_path: Path) -> None:
    path, other = tmp_path / "a.c4book", tmp_path / "4x4.book"
    small_book(path, board="4x4")
    book = Book.open(path)
    written = exchange.write_pons(book, other)
    data, size = other.read_bytes(), exchange.table_size(21)
    assert written.bytes == len(data) == 6 + size * 2
    assert data[:6] == bytes([4, 4, 15, 1, 1, 21])
    assert written.stored + written.lost == len(book)
    assert written.lost < 0.05 * len(book)
    found = 0
    for key, score in book:
        position = Position.from_key(key, board="4x4")
        number = slow_pons_key(position)
        place = 6 + number % size
        if (data[place], data[place + size]) == (number % 256, score + 5 + 1):
            found += 1
    assert found >= written.stored
