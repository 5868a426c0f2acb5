"""Books: what was written is what every probe answers; and what cannot be opened."""

from __future__ import annotations

import pickle
import random
import struct
import threading
import zlib
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from c4core import KeyValueError, Position, Solver
from c4core.book import NOT_IN_BOOK, Book
from c4core.book.errors import (
    BookBoardError,
    BookDamagedError,
    BookForeignError,
    BookTruncatedError,
    BookVersionError,
)
from c4core.book.minimax import wins_now
from c4core.book.writer import write_book
from c4core.notation import BoardSize
from c4core.reachable import open_plies, plies
from tests.support.small_books import opening, resealed, small_book, whole_game

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.small_books import Level


START = Position("44444432332211")


@pytest.fixture(scope="module")
def opening_book(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Level]]:
    """A 7x6 book that is quick to solve."""
    path = tmp_path_factory.mktemp("books") / "opening.c4book"
    start = START
    levels = opening(start, START.ply + 4)
    write_book(path, levels, start=start)
    return path, levels


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.c4book"
    small_book(path, width=4, height=4)
    return path


@pytest.mark.parametrize(
    ("width", "height", "moves"),
    [(4, 4, ""), (5, 4, ""), (4, 5, ""), (4, 4, "1432"), (5, 4, "13"), (4, 5, "2"), (5, 4, "3"),
     (6, 3, ""), (1, 4, ""), (7, 2, "")],
)  # fmt: skip
def test_whole_boards(tmp_path: Path, width: int, height: int, moves: str) -> None:
    path = tmp_path / "whole.c4book"
    levels = small_book(path, width=width, height=height, moves=moves)
    with Book.open(path) as book:
        assert len(book) == sum(len(keys) for keys, _ in levels)
        for (keys, scores), (its_keys, its_scores) in zip(levels, book.levels(), strict=True):
            assert np.array_equal(book.probe_many(keys), scores)
            assert np.array_equal(keys, its_keys)
            assert np.array_equal(scores, its_scores)


def test_only_what_play_can_reach_is_known(small: Path) -> None:
    """Every arrangement of stones: slots exist for those too that no play leads to."""
    book = Book.open(small)
    known = {key for key, _ in book}
    over = {key for level in plies(width=4, height=4) for key in level.tolist()} - known
    chance = random.Random(1)
    seen = {True: 0, False: 0}
    while min(seen.values()) < 500:
        key = chance.getrandbits(20)
        try:
            position = Position.from_key(key, width=4, height=4)
        except KeyValueError:
            continue
        is_known = position.canonical_key in known
        wins = any(position.is_winning(column) for column in position.legal_columns())
        if not wins:
            assert (position in book) == is_known
        if position.is_over:
            assert position not in book
        seen[is_known] += 1
    assert over


@pytest.mark.parametrize("width", [4, 5])
def test_sparse(tmp_path: Path, width: int) -> None:
    path = tmp_path / "sparse.c4book"
    levels = small_book(path, width=width, height=4, kind="sparse")
    book = Book.open(path)
    for (keys, scores), (its_keys, its_scores) in zip(levels, book.levels(), strict=True):
        assert np.array_equal(keys, its_keys)
        assert np.array_equal(scores, its_scores)
    assert len(book) == len(list(book)) == sum(len(keys) for keys, _ in levels)
    for (keys, scores), (chosen, _) in zip(
        whole_game(Position(width=width, height=4)), levels, strict=True
    ):
        answers = book.probe_many(keys)
        known = answers != NOT_IN_BOOK
        assert np.array_equal(answers[known], scores[known])
        is_chosen = np.isin(keys, chosen)
        assert np.array_equal(known, is_chosen | wins_now(keys, width=width, height=4))


def test_probes_of_an_opening(opening_book: tuple[Path, list[Level]]) -> None:
    path, levels = opening_book
    book = Book.open(path)
    assert book.probe(START) == levels[0][1][0]
    assert book.probe(START.mirrored()) == book.probe(START)
    assert START.play(0).play(0).play(0).play(0) in book
    assert START.play(0).play(0).play(0).play(0).play(1) not in book
    assert Position("4444443233221") not in book
    assert Position("44444432332217") not in book
    solver = Solver(table_mb=1)
    chance = random.Random(1)
    for _ in range(20):
        position = START
        for _ in range(chance.randrange(5)):
            position = position.play(chance.choice(position.legal_columns()))
        if position.is_over:
            continue
        assert book.probe(position) == solver.solve(position).score
        if position.ply < book.info.last_ply:
            analysis = solver.analyze(position)
            assert book.scores(position) == analysis.scores
            assert book.best(position) == analysis.best


def test_wins_are_seen_without_a_slot(opening_book: tuple[Path, list[Level]]) -> None:
    """Also in positions that the start does not lead to."""
    book = Book.open(opening_book[0])
    position = Position("12121234565656")
    assert any(position.is_winning(column) for column in position.legal_columns())
    assert book.probe(position) == Solver().solve(position).score
    assert book.probe(Position("121212")) is None


def test_scores_of_columns(small: Path) -> None:
    book = Book.open(small)
    start = Position(width=4, height=4)
    assert book.scores(start) == Solver().analyze(start).scores
    win = Position("121212", width=4, height=4)
    assert book.best(win) == (0,)
    assert book.scores(win)[0] == book.probe(win) == 5
    over = win.play(0)
    assert (book.probe(over), book.scores(over), book.best(over)) == (None, (None,) * 4, ())
    *_, keys = open_plies(start)
    filled = Position.from_key(int(keys[~wins_now(keys, width=4, height=4)][0]), width=4, height=4)
    assert sorted(book.scores(filled), key=str) == [0, None, None, None]


def test_the_last_ply_has_no_known_children(opening_book: tuple[Path, list[Level]]) -> None:
    book = Book.open(opening_book[0])
    position = START.play(0).play(0).play(0).play(0)
    assert book.scores(position) == (None,) * 7
    assert book.best(position) == ()


def test_batches_take_texts_positions_and_keys(opening_book: tuple[Path, list[Level]]) -> None:
    book = Book.open(opening_book[0])
    texts = ["44444432332211" + more for more in ("", "1", "1111", "7", "55", "11115")] + ["1"]
    positions = [Position(text) for text in texts]
    expected = [book.probe(position) for position in positions]
    assert expected.count(None) == 2
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    for batch in (texts, positions, keys):
        answers = book.probe_many(batch)
        assert answers.dtype == np.int8
        assert answers.tolist() == [NOT_IN_BOOK if score is None else score for score in expected]
    assert book.probe_many([]).tolist() == []
    with pytest.raises(KeyValueError):
        book.probe_many(np.array([0], dtype=np.uint64))


def test_another_board(small: Path) -> None:
    book = Book.open(small)
    for ask in (book.probe, book.scores, book.best, book.__contains__):
        with pytest.raises(BookBoardError, match="is for 4x4, the position is on 7x6"):
            ask(Position())
    with pytest.raises(BookBoardError):
        book.probe_many([Position()])


def test_what_the_header_says(opening_book: tuple[Path, list[Level]]) -> None:
    path, levels = opening_book
    info = Book.open(path).info
    assert (info.kind, info.board, info.start) == ("complete", BoardSize(7, 6), START)
    assert (info.first_ply, info.last_ply) == (14, 18)
    assert [section.positions for section in info.plies] == [len(keys) for keys, _ in levels]
    assert info.positions == sum(len(keys) for keys, _ in levels)
    assert info.file_bytes == path.stat().st_size
    assert (info.engine_version, info.format_version, info.description) == (1, 1, "")


def test_open_and_closed(small: Path) -> None:
    book = Book.open(str(small))
    assert repr(book) == f"Book.open({str(small)!r})"
    with pickle.loads(pickle.dumps(book)) as copy:  # noqa: S301
        assert copy.probe(Position(width=4, height=4)) == 0
    for ask in (
        lambda: copy.probe(Position(width=4, height=4)),
        lambda: copy.probe_many([]),
        lambda: copy.scores(Position(width=4, height=4)),
        lambda: next(copy.levels()),
    ):
        with pytest.raises(ValueError, match="closed"):
            ask()
    assert repr(Solver(book=book)) == f"Solver(table_mb=8, threads=1, book={book!r})"
    assert len(copy) == len(book)
    with pytest.raises(TypeError, match=r"Book\.open"):
        Book()


def test_threads_share_a_book_that_is_closed_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "whole.c4book"
    levels = small_book(path)
    book = Book.open(path)
    wrong: list[int] = []

    def ask() -> None:
        for keys, scores in levels:
            try:
                wrong.append(int((book.probe_many(keys) != scores).sum()))
            except ValueError:
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    book.close()
    for thread in threads:
        thread.join()
    assert not any(wrong)


def test_a_book_that_is_closed_while_positions_are_read(small: Path) -> None:
    book = Book.open(small)

    def positions() -> Iterator[Position]:  # no sequence: a mistake that only the checker sees
        yield Position(width=4, height=4)
        book.close()
        yield Position("1", width=4, height=4)

    with pytest.raises(ValueError, match="closed"):
        book.probe_many(cast("list[Position]", positions()))


def test_no_book(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"SQLite format 3\0" * 50)
    with pytest.raises(BookForeignError, match="no opening book") as caught:
        Book.open(other)
    assert (caught.value.path, caught.value.offset) == (str(other), 0)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert (str(again), again.path, again.offset) == (str(caught.value), str(other), 0)
    with pytest.raises(FileNotFoundError):
        Book.open(tmp_path / "nothing")


@pytest.mark.parametrize("length", [0, 1, 7, 8, 47, 48, 100, 600, -40, -1])
def test_cut_off(small: Path, length: int) -> None:
    data = small.read_bytes()
    small.write_bytes(data[:length])
    with pytest.raises(BookTruncatedError, match="cut off") as caught:
        Book.open(small)
    assert caught.value.offset == len(data[:length])


def test_longer_than_it_says(small: Path) -> None:
    small.write_bytes(small.read_bytes() + b"x")
    with pytest.raises(BookDamagedError, match="1 bytes follow its end"):
        Book.open(small)


def test_newer_version(small: Path) -> None:
    data = bytearray(small.read_bytes())
    data[8] = 2
    small.write_bytes(data)
    with pytest.raises(BookVersionError, match="format version 2"):
        Book.open(small)


@pytest.mark.parametrize("offset", [12, 16, 30, 33, 48, 60, 200])
def test_damaged_header(small: Path, offset: int) -> None:
    data = bytearray(small.read_bytes())
    data[offset] ^= 1
    small.write_bytes(data)
    with pytest.raises(BookDamagedError, match=r"checksum|impossible"):
        Book.open(small)


def test_damaged_index_and_group(opening_book: tuple[Path, list[Level]], tmp_path: Path) -> None:
    path, levels = opening_book
    section = Book.open(path).info.plies[-1]
    copy = tmp_path / "copy.c4book"
    data = bytearray(path.read_bytes())
    data[section.offset + 5] ^= 16
    copy.write_bytes(data)
    with pytest.raises(BookDamagedError, match="index of ply 18 is wrong") as caught:
        Book.open(copy)
    assert caught.value.offset == section.offset
    data[section.offset + 5] ^= 16
    data[section.offset + section.index_length + 40] ^= 16
    copy.write_bytes(data)
    book = Book.open(copy)
    assert np.array_equal(book.probe_many(levels[0][0]), levels[0][1])
    with pytest.raises(BookDamagedError, match="a group of ply 18 does not match") as caught:
        book.probe_many(levels[-1][0])
    assert caught.value.offset == section.offset + section.index_length


@pytest.mark.parametrize(
    ("offset", "value"),
    [(8, 0), (10, 3), (12, 0), (12, 99), (14, 3), (15, 0), (16, 0xFF), (32, 1)],
)
def test_a_header_that_makes_no_sense(small: Path, offset: int, value: int) -> None:
    """With a right checksum: what a faulty writer would leave."""
    data = bytearray(small.read_bytes())
    end = 48 + 40 * data[15]
    data[offset] = value
    if offset == 15:
        end = 48
    data[end : end + 4] = struct.pack("<I", zlib.crc32(data[:end]))
    small.write_bytes(data)
    with pytest.raises(BookDamagedError):
        Book.open(small)


def test_resealing_changes_nothing(small: Path) -> None:
    data = small.read_bytes()
    assert resealed(data)[:-32] == data[:-32]


@pytest.mark.parametrize("moves", ["2", "13", "22", "1432"])
def test_a_start_knows_its_own_game_only(tmp_path: Path, moves: str) -> None:
    path = tmp_path / "a.c4book"
    levels = small_book(path, width=4, height=4, moves=moves)
    book = Book.open(path)
    for ply, (keys, scores) in enumerate(whole_game(Position(width=4, height=4))):
        answers = book.probe_many(keys)
        known = answers != NOT_IN_BOOK
        assert np.array_equal(answers[known], scores[known])
        if ply < len(moves):
            assert not known.any()
            continue
        expected = np.isin(keys, levels[ply - len(moves)][0])
        assert np.array_equal(known, expected | wins_now(keys, width=4, height=4))


def test_a_solver_asks_its_book(opening_book: tuple[Path, list[Level]]) -> None:
    path, levels = opening_book
    with Book.open(path) as book:
        informed, alone = Solver(table_mb=1, book=book), Solver(table_mb=1)
        last = START.ply + len(levels) - 1
        for keys, scores in levels:
            for key, score in list(zip(keys.tolist(), scores.tolist(), strict=True))[:20]:
                for position in (Position.from_key(key), Position.from_key(key).mirrored()):
                    evaluation = informed.solve(position)
                    assert (evaluation.score, evaluation.nodes) == (score, 0)
                    analysis = informed.analyze(position)
                    assert analysis.scores == alone.analyze(position).scores
                    assert analysis.score == score
                    assert analysis.nodes == 0 or position.ply == last
                    line = informed.principal_variation(position)
                    assert line == alone.principal_variation(position)
        other = Position("1", width=6, height=5)
        assert informed.solve(other).score == alone.solve(other).score
        assert informed.book is book
    with pytest.raises(ValueError, match="closed"):
        informed.solve(START)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_answered_by_book_and_search(
    opening_book: tuple[Path, list[Level]], threads: int
) -> None:
    path, levels = opening_book
    keys = np.concatenate([keys[:40] for keys, _ in levels])
    deepest = [Position.from_key(key) for key in levels[-1][0][:40].tolist()]
    beyond = [position.play(position.legal_columns()[0]).key for position in deepest]
    keys = np.concatenate([np.array(beyond, dtype=np.uint64), keys])
    with Book.open(path) as book:
        informed = Solver(table_mb=1, threads=threads, book=book)
        alone = Solver(table_mb=1, threads=threads)
        for found, expected in (
            (informed.solve_many(keys), alone.solve_many(keys)),
            (informed.analyze_many(keys), alone.analyze_many(keys)),
        ):
            assert np.array_equal(found.lower, expected.lower)
            assert np.array_equal(found.upper, expected.upper)
            assert found.nodes[40:60].sum() == 0
            assert found.nodes.sum() < expected.nodes.sum()
        assert np.array_equal(informed.analyze_many(keys).scores, alone.analyze_many(keys).scores)
        assert len(informed.solve_many([])) == 0
