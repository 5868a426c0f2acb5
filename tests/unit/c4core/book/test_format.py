"""The reader in examples/read_book.py works, and docs/book-format.md has the constants."""

import random
import subprocess
import sys
from pathlib import Path

from c4core import Position
from c4core.book import Book
from c4core.book.writer import write_book
from tests.support.boards.small_books import opening, small_book

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "book-format.md"
READER = ROOT / "examples" / "read_book.py"


def test_the_example_reads_books(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    small_book(path, board="4x5")
    book, chance = Book.open(path), random.Random(1)
    expected: dict[str, int | None] = {}
    while len(expected) < 100:
        position = Position(board="4x5")
        for _ in range(chance.randrange(20)):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_columns()))
        if not position.is_over:
            expected[position.moves or ""] = book.probe(position)
    run = subprocess.run(
        [sys.executable, READER, path, *expected], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [f"{moves} {score}" for moves, score in expected.items()]


def test_the_page_states_the_constants(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    small = Position(board="4x4")
    write_book(path, opening(small, 2), board=small.board)
    data = path.read_bytes()
    assert data[:8].hex(" ").upper() in PAGE.read_text()
    assert len(data) == int.from_bytes(data[25:33], "little")
