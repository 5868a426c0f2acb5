"""The reader printed in docs/book-format.md works."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from c4core import Position
from c4core.book import Book
from c4core.book.writer import write_book
from c4core.notation import format_moves
from tests.support.boards.small_books import opening, small_book

PAGE = Path(__file__).parents[4] / "docs" / "book-format.md"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reader") / "read_book.py"
    (source,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    path.write_text(source)
    return path


def some_lines(book: Book, count: int) -> list[str]:
    """Moves of positions that the book contains."""
    chance = random.Random(1)
    lines = []
    while len(lines) < count:
        position, columns = Position(width=book.info.board.width, height=book.info.board.height), []
        for _ in range(chance.randrange(book.info.last_ply + 1)):
            if position.is_over:
                break
            columns.append(chance.choice(position.legal_columns()))
            position = position.play(columns[-1])
        if not position.is_over:
            lines.append(format_moves(columns))
    return lines


def test_the_reader_in_the_page_reads_books(tmp_path: Path, program: Path) -> None:
    width, height = 4, 5
    path = tmp_path / "a.c4book"
    small_book(path, width=width, height=height)
    book = Book.open(path)
    lines = some_lines(book, 100)
    run = subprocess.run(
        [sys.executable, program, path, *lines], capture_output=True, text=True, check=True
    )
    expected = [
        f"{line} {book.probe(Position(line, width=width, height=height))}" for line in lines
    ]
    assert run.stdout.splitlines() == expected


def test_the_page_states_the_constants(tmp_path: Path) -> None:
    page = PAGE.read_text()
    path = tmp_path / "a.c4book"
    small = Position(width=4, height=4)
    write_book(path, opening(small, 2), start=small, description="four by four")
    data = path.read_bytes()
    assert data[:8].hex(" ").upper() in page
    assert data[48:60] == b"four by four"
    assert len(data) == int.from_bytes(data[40:48], "little")
