"""Any file gives right answers or a BookError, and never crashes the process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings, strategies as st

from c4core.book import Book
from c4core.book.foreign import read_pons
from c4core.book.layout import header_length
from c4core.book.storage import GROUP
from c4core.book.writer import write_book
from c4core.errors import BookError
from c4core.position import Position
from tests.support.boards.small_books import resealed, thinned, whole_game

if TYPE_CHECKING:
    from c4core.book.layout import Kind
    from tests.support.boards.small_books import Level

DIRECTORY = tempfile.TemporaryDirectory(prefix="c4-books-")
FILE = Path(DIRECTORY.name) / "damaged.c4book"


START = Position(width=5, height=4)
LEVELS = whole_game(START)[:11]


def made(kind: Kind, levels: list[Level]) -> tuple[bytes, list[Level]]:
    """A book with several groups in its last ply."""
    info = write_book(FILE, levels, start=START, kind=kind)
    assert info.plies[-1].count > GROUP
    return FILE.read_bytes(), levels


BOOKS = {"complete": made("complete", LEVELS), "sparse": made("sparse", thinned(LEVELS, 0.9))}


def ask_everything(levels: list[Level]) -> bool | None:
    """Query every position; return whether all answers are right, or None if refused."""
    try:
        with Book.open(FILE) as book:
            answers = [book.probe_many(keys) for keys, _ in levels]
            contents = list(book.levels())
    except BookError as error:
        return None if str(FILE) in str(error) else False
    return all(
        np.array_equal(answer, scores) for answer, (_, scores) in zip(answers, levels, strict=True)
    ) and all(
        np.array_equal(a, b)
        for found, level in zip(contents, levels, strict=True)
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
@given(st.data(), st.sampled_from(["complete", "sparse"]))
def test_a_damaged_file_is_refused_or_right(drawn: st.DataObject, kind: str) -> None:
    data, levels = BOOKS[kind]
    FILE.write_bytes(drawn.draw(damage(data)))
    assert ask_everything(levels) is not False


@settings(max_examples=60)
@given(st.data(), st.sampled_from(["complete", "sparse"]))
def test_forged_checksums_do_not_end_the_process(drawn: st.DataObject, kind: str) -> None:
    """Indexes and groups are arbitrary, with right checksums: any answer or a BookError is fine."""
    data, levels = BOOKS[kind]
    forged = bytearray(data)
    header = header_length(len(levels), "")
    for _ in range(drawn.draw(st.integers(1, 30))):
        place = drawn.draw(st.integers(header, len(data) - 33))
        forged[place] = drawn.draw(st.sampled_from([0, 1, 17, 127, 128, 170, 255]))
    FILE.write_bytes(resealed(bytes(forged)))
    ask_everything(levels)


@settings(max_examples=100)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused_or_right(data: bytes) -> None:
    for read in (Book.open, read_pons):
        FILE.write_bytes(data)
        try:
            read(FILE)
        except BookError:
            continue
        assert read is read_pons
