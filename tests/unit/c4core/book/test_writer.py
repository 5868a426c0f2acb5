"""Writing and verifying books: the same scores give the same bytes, and faults are reported."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import Position, Solver
from c4core.arrays import wins_now
from c4core.book import Book
from c4core.book.layout import pack_header, read_header
from c4core.book.verify import verify
from c4core.book.writer import write_book
from c4core.errors import BookContentError
from c4core.notation import DEFAULT_BOARD, BoardSize
from tests.support.boards.small_books import NOTHING, small_book, whole_game
from tests.support.refusals import refusal
from tests.support.running.databases import file_size_limit

SIZE = BoardSize(4, 4)
START = Position(board=SIZE)
BOARD = START.board


def test_bytes_are_few(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    small_book(path, board=SIZE)
    with Book.open(path) as book:
        assert book.info.file_bytes < 0.35 * len(book)


def test_a_book_has_exactly_the_reachable_positions(tmp_path: Path) -> None:
    for ply in (0, 1, 5, 15):
        levels = whole_game(START)
        keys, scores = levels[ply]
        levels[ply] = keys[:-1], scores[:-1]
        with pytest.raises(BookContentError, match=f"ply {ply}: position {keys[-1]} is missing"):
            write_book(tmp_path / "a.c4book", levels, board=BOARD)
    levels = whole_game(START)[:8]
    over = np.uint64(Position("1212121", board=SIZE).canonical_key)
    keys = np.sort(np.append(levels[7][0], over))
    levels[7] = keys, np.zeros(len(keys), dtype=np.int8)
    with pytest.raises(BookContentError, match=f"position {over} cannot be reached"):
        write_book(tmp_path / "a.c4book", levels, board=BOARD)
    assert list(tmp_path.iterdir()) == []


BAD_LEVELS: dict[str, Callable[..., tuple[object, object]]] = {
    "in the other order": lambda keys, scores: (keys[::-1], scores),
    "one key twice": lambda keys, scores: (keys[[0, 0]], scores[[0, 0]]),
    "a score too many": lambda keys, scores: (keys[1:], scores),
    "keys with a sign": lambda keys, scores: (keys.astype(np.int64), scores),
    "scores of 2 bytes": lambda keys, scores: (keys, scores.astype(np.int16)),
    "too large a score": lambda keys, scores: (keys, scores + np.int8(9)),
    "a key of no position": lambda keys, scores: (keys + np.uint64(1 << 40), scores),
}


def test_bad_levels_and_books_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    levels = whole_game(START)
    path = tmp_path / "a.c4book"
    assert {
        name: refusal(write_book, path, [*levels[:2], change(*levels[2])], board=BOARD)
        for name, change in BAD_LEVELS.items()
    } | {
        "no plies": refusal(write_book, path, [], board=BOARD),
        "a ply too many": refusal(write_book, path, [*levels, levels[-1]], board=BOARD),
        "too deep": refusal(write_book, path, [NOTHING] * 30, board=DEFAULT_BOARD),
    } == snapshot
    with pytest.raises(FileNotFoundError):
        write_book(tmp_path / "nowhere" / "a.c4book", levels[:1], board=BOARD)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    path.write_bytes(b"an older book")
    with file_size_limit(5_000), pytest.raises(OSError, match=str(tmp_path)):
        write_book(path, whole_game(START), board=BOARD)
    assert path.read_bytes() == b"an older book"
    assert list(tmp_path.iterdir()) == [path]


def test_intact_books_pass(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    levels = small_book(path, board=SIZE)
    seen: list[int] = []
    result = verify(Book.open(path), sample=50, progress=seen.append)
    assert (result.is_sound, result.problems, result.solved) == (True, (), 50)
    assert result.positions == seen[-1] == sum(len(keys) for keys, _ in levels)
    write_book(path, whole_game(START)[:3], board=BOARD)
    result = verify(Book.open(path), sample=10_000, solver=Solver(table_mb=1))
    assert result.solved == result.positions  # the sample is larger than the book


def test_a_changed_byte_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    small_book(path, board=SIZE)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert verify(Book.open(path)).problems == ("the file does not match its checksum",)
    data[-1] ^= 1
    data[-40] ^= 1
    path.write_bytes(data)
    first, second = verify(Book.open(path)).problems
    assert "checksum" in first
    assert "a group of ply 15" in second


@pytest.mark.parametrize("ply", [3, 8, 14])
def test_a_wrong_score_is_reported(tmp_path: Path, ply: int) -> None:
    levels = whole_game(START)
    keys, scores = levels[ply]
    index = int((~wins_now(keys, SIZE)).argmax())
    scores[index] += 1 if scores[index] <= 0 else -1
    path = tmp_path / "a.c4book"
    write_book(path, levels, board=BOARD)
    result = verify(Book.open(path), sample=0)
    assert any(f"of ply {ply} contradict" in problem for problem in result.problems)
    assert any(str(keys[index]) in problem for problem in result.problems)
    assert not result.is_sound


def test_a_sample_finds_what_minimax_cannot(tmp_path: Path) -> None:
    """A book whose last ply is wrong, and the rest derived from it."""
    ((keys, _), *_) = whole_game(START)
    path = tmp_path / "a.c4book"
    write_book(path, [(keys, np.array([3], dtype=np.int8))], board=BOARD)
    (problem,) = verify(Book.open(path)).problems
    assert "have a different score when they are solved again" in problem


def test_a_wrong_count_in_the_header_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    write_book(path, whole_game(START)[:5], board=BOARD)
    data = path.read_bytes()
    info = read_header(data, "a book", file_bytes=len(data))
    *others, last = info.plies
    wrong = replace(last, positions=last.positions - 1)
    header = pack_header(replace(info, plies=(*others, wrong)))
    path.write_bytes(header + data[len(header) :])
    problems = verify(Book.open(path), sample=0).problems
    assert any("the header states" in problem for problem in problems)
