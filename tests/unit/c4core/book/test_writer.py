"""Writing books: the same scores give the same bytes, and files are complete or absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core import Position
from c4core.book import Book
from c4core.book.codec import LONGEST
from c4core.book.verify import verify
from c4core.book.writer import code_lengths, code_words, write_book
from c4core.errors import BookContentError
from tests.support.boards.books import digest
from tests.support.boards.small_books import NOTHING, small_book, whole_game
from tests.support.memory import memory_below
from tests.support.refusals import refusal
from tests.support.running.databases import file_size_limit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from c4core.book.layout import Kind

START = Position(width=4, height=4)
GOLDEN = {
    "complete": "b646ba604a4a56af499b032d7926e95c7cf6c9dbf4977e9dff438ad16a40af88",
    "sparse": "a2378d18920817e5273d0a0a12d5eb6cf3a7ea2a9b74ee6a7272b97e7a04fc7c",
}  # a change of these is a change of the format


@pytest.mark.parametrize("kind", ["complete", "sparse"])
def test_bytes_are_fixed(tmp_path: Path, kind: Kind) -> None:
    small_book(tmp_path / "a.c4book", width=4, height=4, kind=kind)
    assert digest(tmp_path / "a.c4book") == GOLDEN[kind]


@pytest.mark.parametrize(("kind", "most"), [("complete", 0.35), ("sparse", 0.91)])
def test_books_are_small(tmp_path: Path, kind: Kind, most: float) -> None:
    small_book(tmp_path / "a.c4book", moves="1325", kind=kind)
    with Book.open(tmp_path / "a.c4book") as book:
        assert book.info.file_bytes < most * len(book)


@pytest.mark.parametrize("ply", [0, 1, 5, 15])
def test_a_complete_book_may_not_lack_a_position(tmp_path: Path, ply: int) -> None:
    levels = whole_game(START)
    keys, scores = levels[ply]
    levels[ply] = keys[:-1], scores[:-1]
    with pytest.raises(BookContentError, match=f"ply {ply}: position {keys[-1]} is missing"):
        write_book(tmp_path / "a.c4book", levels, start=START)


def test_a_complete_book_may_not_have_other_positions(tmp_path: Path) -> None:
    levels = whole_game(Position("12", width=4, height=4))[:3]
    with pytest.raises(BookContentError, match="cannot be reached from the start"):
        write_book(tmp_path / "a.c4book", levels, start=Position("11", width=4, height=4))
    assert list(tmp_path.iterdir()) == []


def test_a_description_and_a_version_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    text = "within 2 of the best, für beide"
    write_book(
        path, whole_game(START)[:4], start=START, kind="sparse", description=text, engine_version=7
    )
    info = Book.open(path).info
    assert (info.description, info.engine_version) == (text, 7)


BAD_LEVELS: dict[str, Callable[..., tuple[object, object]]] = {
    "in the other order": lambda keys, scores: (keys[::-1], scores),
    "one key twice": lambda keys, scores: (keys[[0, 0]], scores[[0, 0]]),
    "a score too many": lambda keys, scores: (keys[1:], scores),
    "keys with a sign": lambda keys, scores: (keys.astype(np.int64), scores),
    "scores of 2 bytes": lambda keys, scores: (keys, scores.astype(np.int16)),
    "too large a score": lambda keys, scores: (keys, scores + np.int8(9)),
    "a key of no position": lambda keys, scores: (keys + np.uint64(1 << 40), scores),
}


def test_bad_levels_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    levels = whole_game(START)[:3]
    assert {
        name: refusal(write_book, tmp_path / "a", [*levels[:2], change(*levels[2])], start=START)
        for name, change in BAD_LEVELS.items()
    } == snapshot
    assert list(tmp_path.iterdir()) == []


def test_bad_books_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    levels = whole_game(START)
    path = tmp_path / "a.c4book"
    over = Position("1212121", width=4, height=4)
    assert {
        "no plies": refusal(write_book, path, [], start=START),
        "a ply too many": refusal(write_book, path, [*levels, levels[-1]], start=START),
        "a game that is over": refusal(write_book, path, levels[:1], start=over),
        "a long text": refusal(write_book, path, levels[:1], start=START, description="x" * 1001),
        "too deep": refusal(write_book, path, [NOTHING] * 30, start=Position()),
    } == snapshot
    with pytest.raises(FileNotFoundError):
        write_book(tmp_path / "nowhere" / "a.c4book", levels[:1], start=START)


def test_a_sparse_book_may_have_empty_plies(tmp_path: Path) -> None:
    levels = whole_game(START)
    levels[1] = levels[3] = NOTHING
    path = tmp_path / "a.c4book"
    write_book(path, levels[:5], start=START, kind="sparse")
    book = Book.open(path)
    assert [len(keys) for keys, _ in book.levels()] == [len(keys) for keys, _ in levels[:5]]
    assert book.probe(Position("1", width=4, height=4)) is None


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    path.write_bytes(b"an older book")
    with file_size_limit(5_000), pytest.raises(OSError, match=str(tmp_path)):
        write_book(path, whole_game(START), start=START)
    assert path.read_bytes() == b"an older book"
    assert list(tmp_path.iterdir()) == [path]


def test_code_lengths_and_words() -> None:
    assert code_lengths([5, 0, 1, 1]) == [1, 0, 2, 2]
    assert code_lengths([0, 9, 0]) == [0, 1, 0]
    assert code_lengths([0, 0]) == [0, 0]
    steep = code_lengths([2**n for n in range(40)])
    assert max(steep) <= LONGEST
    assert sum(2.0**-length for length in steep) <= 1
    assert code_words([1, 0, 2, 2]) == [0b0, 0, 0b10, 0b11]


def test_writing_a_sparse_book_takes_little_memory(tmp_path: Path) -> None:
    """All positions to ply 12 take 200 MB, and every two further plies five times as much."""
    line = [Position("444444332266"[:ply]) for ply in range(13)]
    levels = [
        (np.array([position.canonical_key], dtype=np.uint64), np.zeros(1, dtype=np.int8))
        for position in line
    ]
    with memory_below(5_000_000):
        write_book(tmp_path / "a.c4book", levels, start=line[0], kind="sparse")
        with Book.open(tmp_path / "a.c4book") as book:
            assert verify(book, sample=0).positions == len(line)
