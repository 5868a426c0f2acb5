"""Any file gives right answers or a BookError, and never crashes the process."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings, strategies as st

from c4core.book import Book
from c4core.book.layout import header_length
from c4core.book.storage import GROUP
from c4core.book.writer import write_book
from c4core.errors import BookError
from c4core.position import Position
from tests.support.boards.small_books import resealed, whole_game

DIRECTORY = tempfile.TemporaryDirectory(prefix="c4-books-")
FILE = Path(DIRECTORY.name) / "damaged.c4book"


START = Position(board="5x4")
LEVELS = whole_game(START)[:11]


INFO = write_book(FILE, LEVELS, board=START.board)
BOOK = FILE.read_bytes()
"""A book with several groups in its last ply."""

assert INFO.plies[-1].count > GROUP


def ask_everything() -> bool | None:
    """Query every position; return whether all answers are right, or None if refused."""
    try:
        with Book.open(FILE) as book:
            answers = [book.probe_many(keys) for keys, _ in LEVELS]
            contents = list(book.levels())
    except BookError as error:
        return None if str(FILE) in str(error) else False
    return all(
        np.array_equal(answer, scores) for answer, (_, scores) in zip(answers, LEVELS, strict=True)
    ) and all(
        np.array_equal(a, b)
        for found, level in zip(contents, LEVELS, strict=True)
        for a, b in zip(found, level, strict=True)
    )


@st.composite
def damage(draw: st.DrawFn, data: bytes) -> bytes:
    """Change, cut off, remove or insert bytes."""
    damaged = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        # Many of the most important bytes are near the start.
        span = draw(st.sampled_from([60, 700, len(damaged)]))
        place = draw(st.integers(0, max(0, min(span, len(damaged)) - 1)))
        match draw(st.sampled_from(["flip", "set", "cut", "drop", "insert"])):
            case "flip" if damaged:
                damaged[place] ^= 1 << draw(st.integers(0, 7))
            case "set" if damaged:
                damaged[place] = draw(st.sampled_from([0, 1, 127, 128, 255]))
            case "cut":
                del damaged[place:]
            case "drop":
                del damaged[place : place + draw(st.integers(1, 9))]
            case "insert":
                damaged[place:place] = draw(st.binary(min_size=1, max_size=9))
    return bytes(damaged)


@settings(max_examples=150)
@given(damage(BOOK))
def test_a_damaged_file_is_refused_or_right(data: bytes) -> None:
    FILE.write_bytes(data)
    assert ask_everything() is not False


@settings(max_examples=60)
@given(st.data())
def test_forged_checksums_do_not_end_the_process(drawn: st.DataObject) -> None:
    """Indexes and groups are arbitrary, with right checksums: any answer or a BookError is fine."""
    forged = bytearray(BOOK)
    header = header_length(len(LEVELS))
    for _ in range(drawn.draw(st.integers(1, 30))):
        place = drawn.draw(st.integers(header, len(BOOK) - 33))
        forged[place] = drawn.draw(st.sampled_from([0, 1, 17, 127, 128, 170, 255]))
    FILE.write_bytes(resealed(bytes(forged)))
    ask_everything()
