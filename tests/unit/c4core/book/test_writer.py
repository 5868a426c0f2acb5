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
from c4core.book.layout import Kind, pack_header, read_header
from c4core.book.verify import verify
from c4core.book.writer import write_book
from c4core.dice import Dice
from c4core.errors import BookContentError
from tests.support.boards.small_books import NOTHING, small_book, whole_game
from tests.support.memory import memory_below
from tests.support.refusals import refusal
from tests.support.running.databases import file_size_limit

SIZE = {"width": 4, "height": 4}
START = Position(**SIZE)


@pytest.mark.parametrize(("kind", "most"), [("complete", 0.35), ("sparse", 1.05)])
def test_bytes_are_few(tmp_path: Path, kind: Kind, most: float) -> None:
    path = tmp_path / "a.c4book"
    small_book(path, moves="1325", kind=kind)
    with Book.open(path) as book:
        assert book.info.file_bytes < most * len(book)


def test_a_complete_book_has_exactly_the_reachable_positions(tmp_path: Path) -> None:
    for ply in (0, 1, 5, 15):
        levels = whole_game(START)
        keys, scores = levels[ply]
        levels[ply] = keys[:-1], scores[:-1]
        with pytest.raises(BookContentError, match=f"ply {ply}: position {keys[-1]} is missing"):
            write_book(tmp_path / "a.c4book", levels, start=START)
    levels = whole_game(Position("12", **SIZE))[:3]
    with pytest.raises(BookContentError, match="cannot be reached from the start"):
        write_book(tmp_path / "a.c4book", levels, start=Position("11", **SIZE))
    assert list(tmp_path.iterdir()) == []


def test_a_sparse_book_may_have_empty_plies_and_a_description(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    levels = whole_game(START)[:5]
    levels[1] = levels[3] = NOTHING
    text = "within 2 of the best, für beide"
    write_book(path, levels, start=START, kind="sparse", description=text, engine_version=7)
    book = Book.open(path)
    assert (book.info.description, book.info.engine_version) == (text, 7)
    assert [len(keys) for keys, _ in book.levels()] == [len(keys) for keys, _ in levels]
    assert book.probe(Position("1", **SIZE)) is None


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
    over = Position("1212121", **SIZE)
    with_over = np.sort(np.append(levels[7][0], np.uint64(over.canonical_key)))
    sparse = [*levels[:7], (with_over, np.zeros(len(with_over), dtype=np.int8))]
    assert {
        name: refusal(write_book, path, [*levels[:2], change(*levels[2])], start=START)
        for name, change in BAD_LEVELS.items()
    } | {
        "a finished game": refusal(write_book, path, sparse, start=START, kind="sparse"),
        "no plies": refusal(write_book, path, [], start=START),
        "a ply too many": refusal(write_book, path, [*levels, levels[-1]], start=START),
        "a game that is over": refusal(write_book, path, levels[:1], start=over),
        "a long text": refusal(write_book, path, levels[:1], start=START, description="x" * 1001),
        "too deep": refusal(write_book, path, [NOTHING] * 30, start=Position()),
    } == snapshot
    with pytest.raises(FileNotFoundError):
        write_book(tmp_path / "nowhere" / "a.c4book", levels[:1], start=START)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    path.write_bytes(b"an older book")
    with file_size_limit(5_000), pytest.raises(OSError, match=str(tmp_path)):
        write_book(path, whole_game(START), start=START)
    assert path.read_bytes() == b"an older book"
    assert list(tmp_path.iterdir()) == [path]


def test_the_positions_of_two_long_games_are_far_apart(tmp_path: Path) -> None:
    """Later plies of a large board have more than 2^33 numbers, and the book has two of each.

    Nobody ever has a win in one: the score of such a position is not read from the book.
    """
    size = {"width": 9, "height": 6}

    def play(dice: Dice) -> list[int]:
        line = [Position(**size)]
        while line[-1].ply < 36:
            after = [line[-1].play(column) for column in line[-1].legal_columns()]
            calm = ~wins_now(np.array([each.key for each in after], dtype=np.uint64), **size)
            line.append(
                dice.pick([each for each, is_calm in zip(after, calm, strict=True) if is_calm])
            )
        return [each.canonical_key for each in line]

    keys = [
        np.unique(np.array(each, dtype=np.uint64))
        for each in zip(*map(play, map(Dice, (1, 2))), strict=True)
    ]
    levels = [(each, np.arange(len(each), dtype=np.int8)) for each in keys]
    write_book(tmp_path / "a.c4book", levels, start=Position(**size), kind="sparse")
    with Book.open(tmp_path / "a.c4book") as book:
        for each, scores in levels:
            assert np.array_equal(book.probe_many(each), scores)


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


@pytest.mark.parametrize("kind", ["complete", "sparse"])
def test_intact_books_pass(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "a.c4book"
    levels = small_book(path, **SIZE, kind=kind)
    seen: list[int] = []
    result = verify(Book.open(path), sample=50, progress=seen.append)
    assert (result.is_sound, result.problems, result.solved) == (True, (), 50)
    assert result.positions == seen[-1] == sum(len(keys) for keys, _ in levels)
    write_book(path, whole_game(START)[:3], start=START)
    result = verify(Book.open(path), sample=10_000, solver=Solver(table_mb=1))
    assert result.solved == result.positions  # the sample is larger than the book


def test_a_changed_byte_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    small_book(path, **SIZE)
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


@pytest.mark.parametrize("kind", ["complete", "sparse"])
@pytest.mark.parametrize("ply", [3, 8, 14])
def test_a_wrong_score_is_reported(tmp_path: Path, kind: Kind, ply: int) -> None:
    levels = whole_game(START)
    keys, scores = levels[ply]
    index = int((~wins_now(keys, **SIZE)).argmax())
    scores[index] += 1 if scores[index] <= 0 else -1
    path = tmp_path / "a.c4book"
    write_book(path, levels, start=START, kind=kind)
    result = verify(Book.open(path), sample=0)
    assert any(f"of ply {ply} contradict" in problem for problem in result.problems)
    assert any(str(keys[index]) in problem for problem in result.problems)
    assert not result.is_sound


def test_a_sample_finds_what_minimax_cannot(tmp_path: Path) -> None:
    """A book whose last ply is wrong, and the rest derived from it."""
    ((keys, _), *_) = whole_game(START)
    path = tmp_path / "a.c4book"
    write_book(path, [(keys, np.array([3], dtype=np.int8))], start=START)
    (problem,) = verify(Book.open(path)).problems
    assert "have a different score when they are solved again" in problem


def test_a_wrong_count_in_the_header_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    write_book(path, whole_game(START)[:5], start=START)
    data = path.read_bytes()
    info = read_header(data, "a book", file_bytes=len(data))
    *others, last = info.plies
    wrong = replace(last, positions=last.positions - 1)
    header = pack_header(replace(info, plies=(*others, wrong)))
    path.write_bytes(header + data[len(header) :])
    problems = verify(Book.open(path), sample=0).problems
    assert any("the header states" in problem for problem in problems)
