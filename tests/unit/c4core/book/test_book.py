"""Open books: probes return the written scores, and bad files are refused."""

from __future__ import annotations

import os
import pickle
import random
import signal
import struct
import subprocess
import sys
import threading
import zlib
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from c4core import KeyValueError, MoveError, Position, Solver, errors
from c4core.arrays import open_plies, wins_now
from c4core.book import Book
from c4core.book.layout import ENTRY, pack_header
from c4core.book.storage import GROUP
from c4core.book.writer import write_book
from c4core.evaluation import NO_SCORE
from c4core.notation import DEFAULT_BOARD, BoardSize
from tests.support.boards.exhaustive import plies
from tests.support.boards.small_books import opening, regrouped, small_book, whole_game
from tests.support.memory import memory_below
from tests.support.running.waiting import HANG_SECONDS, await_that

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.boards.small_books import Level

    Made = tuple[Path, list[Level]]

OPENING = BoardSize(5, 4)
START = Position(board=OPENING)
SIZE = BoardSize(4, 4)


@pytest.fixture(scope="module")
def opening_book(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A book of the first plies, and its contents."""
    path = tmp_path_factory.mktemp("books") / "opening.c4book"
    levels = opening(START, 6)
    write_book(path, levels, board=START.board)
    return path, levels


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.c4book"
    small_book(path, board="4x4")
    return path


@pytest.mark.parametrize(
    ("width", "height"), [(4, 4), (5, 4), (4, 5), (6, 3), (1, 4), (7, 2), (2, 7), (3, 5)]
)
def test_a_book_answers_its_positions(tmp_path: Path, width: int, height: int) -> None:
    path = tmp_path / "a.c4book"
    levels = small_book(path, board=(width, height))
    with Book.open(path) as book:
        assert len(book) == len(list(book)) == sum(len(keys) for keys, _ in levels)
        for level, its_level in zip(levels, book.levels(), strict=True):
            assert all(map(np.array_equal, level, its_level))
        for keys, scores in levels:
            assert np.array_equal(book.probe_many(keys), scores)


def test_only_reachable_positions_are_known(small: Path) -> None:
    """Slots also exist for arrangements of stones that play cannot reach."""
    book = Book.open(small)
    known = {key for key, _ in book}
    over = {key for level in plies(width=4, height=4) for key in level.tolist()} - known
    chance = random.Random(1)
    seen = {True: 0, False: 0}
    while min(seen.values()) < 500:
        key = chance.getrandbits(20)
        try:
            position = Position.from_key(key, board="4x4")
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


def test_probes_of_an_opening(opening_book: Made) -> None:
    path, levels = opening_book
    book = Book.open(path)
    assert book.probe("") == levels[0][1][0]
    last = Position("123451", board=OPENING)
    assert book.probe(last.mirrored()) == book.probe(last)
    assert (book.scores(last), book.best(last)) == ((None,) * 5, ())
    assert last.play(1) not in book
    solver = Solver(table_mb=1)
    # An immediate win does not need a slot.
    assert book.probe("121212") == solver.solve(Position("121212", board=OPENING)).score == 7
    chance = random.Random(1)
    for _ in range(40):
        position = START
        for _ in range(chance.randrange(7)):
            position = position.play(chance.choice(position.legal_columns()))
        assert book.probe(position) == solver.solve(position).score
        if position.ply < book.info.last_ply:
            analysis = solver.analyze(position)
            assert book.scores(position) == analysis.scores
            assert book.best(position) == analysis.best


def test_scores_of_columns(small: Path) -> None:
    book = Book.open(small)
    start, win = Position(board=SIZE), Position("121212", board=SIZE)
    assert book.scores(start) == Solver().analyze(start).scores
    assert book.best(win) == (0,)
    assert book.scores(win)[0] == book.probe(win) == 5
    over = win.play(0)
    assert (book.probe(over), book.scores(over), book.best(over)) == (None, (None,) * 4, ())
    *_, keys = open_plies(start)
    filled = Position.from_key(int(keys[~wins_now(keys, SIZE)][0]), board=SIZE)
    assert sorted(book.scores(filled), key=str) == [0, None, None, None]
    for ask in (book.probe, book.scores, book.best, book.__contains__):
        assert ask("1432") == ask(Position("1432", board=SIZE)) is not None
        with pytest.raises(errors.BookBoardError, match="is for 4x4, the position is on 7x6"):
            ask(Position())
    with pytest.raises(errors.BookBoardError):
        book.probe_many([Position()])
    with pytest.raises(MoveError, match="column 5 is outside"):
        book.probe("5")
    with pytest.raises(TypeError, match="not int"):
        book.probe(cast("str", 1432))


def test_batches_take_texts_positions_and_keys(opening_book: Made) -> None:
    book = Book.open(opening_book[0])
    texts = ["", "1", "1111", "5", "55", "123451", "1234512", "1212121"]
    positions = [Position(text, board=OPENING) for text in texts]
    expected = [book.probe(position) for position in positions]
    assert expected.count(None) == 2
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    for batch in (texts, positions, keys):
        answers = book.probe_many(batch)
        assert answers.dtype == np.int8
        assert answers.tolist() == [NO_SCORE if score is None else score for score in expected]
    assert book.probe_many([]).tolist() == []
    with pytest.raises(KeyValueError):
        book.probe_many(np.array([0], dtype=np.uint64))


def test_open_and_closed(small: Path) -> None:
    book = Book.open(str(small))
    assert repr(book) == f"Book.open({str(small)!r})"
    with pickle.loads(pickle.dumps(book)) as copy:  # noqa: S301
        assert copy.probe("") == 0
    for ask in (
        lambda: copy.probe(""),
        lambda: copy.probe_many([]),
        lambda: copy.scores(""),
        lambda: next(copy.levels()),
    ):
        with pytest.raises(ValueError, match="closed"):
            ask()
    assert repr(Solver(book=book)) == f"Solver(table_mb=8, threads=1, book={book!r})"
    assert len(copy) == len(book)
    with pytest.raises(TypeError, match=r"Book\.open"):
        Book()

    def positions() -> Iterator[Position]:
        yield Position(board=SIZE)
        book.close()
        yield Position("1", board=SIZE)

    # An iterator is not a sequence: only the type checker would find this mistake.
    with pytest.raises(ValueError, match="closed"):
        book.probe_many(cast("list[Position]", positions()))


def test_other_files_are_refused(tmp_path: Path) -> None:
    other, pipe = tmp_path / "other", tmp_path / "pipe"
    other.write_bytes(b"SQLite format 3\0" * 50)
    with pytest.raises(errors.BookForeignError, match="not an opening book") as caught:
        Book.open(other)
    assert str(other) in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert (type(again), str(again)) == (errors.BookForeignError, str(caught.value))
    with pytest.raises(FileNotFoundError):
        Book.open(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        Book.open(tmp_path)
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(errors.BookTruncatedError):
            Book.open(path)


def test_damaged_files_are_refused(small: Path) -> None:
    whole = small.read_bytes()

    def refused(content: bytes, error: type[errors.BookError], match: str = ".") -> None:
        small.write_bytes(content)
        with pytest.raises(error, match=match):
            Book.open(small)

    for length in (0, 1, 7, 8, 32, 33, 100, 600, -40, -1):
        cut = whole[:length]
        refused(cut, errors.BookTruncatedError, f"cut off: it has {len(cut)} of")
    refused(whole + b"x", errors.BookDamagedError, "1 bytes follow its end")
    refused(whole[:8] + b"\2" + whole[9:], errors.BookVersionError, "format version 2")
    for offset in (10, 11, 13, 20, 30, 33, 60, 200):
        data = bytearray(whole)
        data[offset] ^= 1
        refused(bytes(data), errors.BookDamagedError, r"checksum|impossible")
    # With the right checksum, as a faulty writer would leave it.
    forged = ((8, 0), (10, 0), (10, 99), (11, 0), (12, 0), (12, 17), (17, 1), (25, 1))
    for offset, value in forged:
        data = bytearray(whole)
        data[offset] = value
        end = 33 + 28 * data[12]
        data[end : end + 4] = struct.pack("<I", zlib.crc32(data[:end]))
        refused(bytes(data), errors.BookDamagedError)


def test_damaged_index_or_group_is_found(opening_book: Made, tmp_path: Path) -> None:
    path, levels = opening_book
    section = Book.open(path).info.plies[-1]
    copy = tmp_path / "copy.c4book"
    data = bytearray(path.read_bytes())
    data[section.offset + 5] ^= 16
    copy.write_bytes(data)
    with pytest.raises(errors.BookDamagedError, match="index of ply 6 is wrong"):
        Book.open(copy)
    data[section.offset + 5] ^= 16
    groups = section.offset + ENTRY.size
    data[groups + 40] ^= 16
    copy.write_bytes(data)
    book = Book.open(copy)
    assert np.array_equal(book.probe_many(levels[0][0]), levels[0][1])
    with pytest.raises(
        errors.BookDamagedError,
        match=rf"a group of ply 6 cannot be read, does not match .*\(byte {groups}\)",
    ):
        book.probe_many(levels[-1][0])


def test_a_solver_asks_its_book(opening_book: Made) -> None:
    path, levels = opening_book
    with Book.open(path) as book:
        informed, alone = Solver(table_mb=1, book=book), Solver(table_mb=1)
        last = len(levels) - 1
        for keys, scores in levels:
            for key, score in list(zip(keys.tolist(), scores.tolist(), strict=True))[:20]:
                its_position = Position.from_key(key, board=OPENING)
                for position in (its_position, its_position.mirrored()):
                    evaluation = informed.solve(position)
                    assert (evaluation.score, evaluation.nodes) == (score, 0)
                    analysis = informed.analyze(position)
                    assert analysis.scores == alone.analyze(position).scores
                    assert analysis.score == score
                    assert analysis.nodes == 0 or position.ply == last
                    line = informed.principal_variation(position)
                    assert line == alone.principal_variation(position)
        other = Position("1", board="6x5")
        assert informed.solve(other).score == alone.solve(other).score
        assert informed.book is book
    with pytest.raises(ValueError, match="closed"):
        informed.solve(START)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_answered_by_book_and_search(opening_book: Made, threads: int) -> None:
    path, levels = opening_book
    keys = np.concatenate([keys[:40] for keys, _ in levels])
    deepest = [Position.from_key(key, board=OPENING) for key in levels[-1][0][:40].tolist()]
    beyond = [position.play(position.legal_columns()[0]).key for position in deepest]
    keys = np.concatenate([np.array(beyond, dtype=np.uint64), keys])
    with Book.open(path) as book:
        informed = Solver(table_mb=1, threads=threads, book=book)
        alone = Solver(table_mb=1, threads=threads)
        for found, expected in (
            (informed.solve_many(keys, board=OPENING), alone.solve_many(keys, board=OPENING)),
            (informed.analyze_many(keys, board=OPENING), alone.analyze_many(keys, board=OPENING)),
        ):
            assert np.array_equal(found.lower, expected.lower)
            assert np.array_equal(found.upper, expected.upper)
            assert found.nodes[40:60].sum() == 0
            assert found.nodes.sum() < expected.nodes.sum()
        informed_scores = informed.analyze_many(keys, board=OPENING).scores
        assert np.array_equal(informed_scores, alone.analyze_many(keys, board=OPENING).scores)
        assert len(informed.solve_many([])) == 0


WHOLE = Position(board="5x4")


@pytest.fixture(scope="module")
def whole_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A complete book with several groups in its last ply."""
    path = tmp_path_factory.mktemp("books") / "whole.c4book"
    info = write_book(path, whole_game(WHOLE)[:11], board=WHOLE.board)
    assert info.plies[-1].count > GROUP
    return path.read_bytes()


@pytest.fixture
def whole_book(tmp_path: Path, whole_bytes: bytes) -> Made:
    """A copy of that book in a separate file, and its contents."""
    path = tmp_path / "whole.c4book"
    path.write_bytes(whole_bytes)
    return path, whole_game(WHOLE)[:11]


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_file_may_change_while_it_is_open(whole_book: Made, *, asked_before: bool) -> None:
    """The answers are right, or an exception is raised: later reads are checked."""
    path, levels = whole_book
    keys, scores = levels[-1]
    book = Book.open(path)
    section = book.info.plies[-1]
    if asked_before:
        book.probe_many(keys)
    with path.open("r+b") as file:  # in place, as cp and rsync --inplace do
        for offset in range(section.offset + 2 * ENTRY.size, path.stat().st_size, 97):
            file.seek(offset)
            (byte,) = file.read(1)
            file.seek(offset)
            file.write(bytes([byte ^ 64]))
    wrong = refused = 0
    for key, score in zip(keys[::50].tolist(), scores[::50].tolist(), strict=True):
        try:
            position = Position.from_key(key, board="5x4")
            wrong += book.probe(position) != score
        except errors.BookDamagedError:
            refused += 1
    assert wrong == 0
    assert (refused == 0) == asked_before


ASK_A_FILE_THAT_FAILS = """
import os, sys
from c4core import Book, Position
from c4core.errors import BookDamagedError

book = Book.open(sys.argv[1])
there = os.path.realpath(sys.argv[1])
if sys.argv[2] == "cut off":
    os.truncate(there, 100)
else:
    for number in os.listdir("/proc/self/fd"):
        if os.path.realpath("/proc/self/fd/" + number) == there:
            os.dup2(os.open("/", os.O_RDONLY), int(number))
try:
    print(book.probe(Position("1234", board="5x4")))
except BookDamagedError as error:
    print(error)
"""


def test_a_file_may_fail_while_it_is_open(whole_book: Made) -> None:
    for failure, said in (
        # The disk has failed: the message does not claim that the bytes are wrong.
        ("unreadable", "a group of ply 4 cannot be read"),
        # A memory-mapped file would end the process with SIGBUS.
        ("cut off", "changed meanwhile"),
    ):
        command = [sys.executable, "-c", ASK_A_FILE_THAT_FAILS, whole_book[0], failure]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, text=True, timeout=HANG_SECONDS
        )
        assert said in done.stdout


def test_forged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "forged.c4book"
    small_book(path, board="4x4")
    whole, info = path.read_bytes(), Book.open(path).info
    # Some of these scores stand for faults inside the reader.
    for score in (-127, -126, -125, -20, 100):

        def set_score(plain: bytearray, score: int = score) -> None:
            plain[-1] = score % 256

        path.write_bytes(regrouped(whole, 3, set_score))
        with pytest.raises(errors.BookDamagedError, match="ply 3 has impossible scores"):
            list(Book.open(path).levels())
    ply = info.plies[5]
    for count, positions in (
        (1 << 40, 1 << 40),
        (1 << 63, 1 << 63),
        (ply.count, 1 << 20),
        (300, 1),
    ):
        forged = replace(ply, count=count, positions=positions)
        header = pack_header(replace(info, plies=(*info.plies[:5], forged, *info.plies[6:])))
        path.write_bytes(header + whole[len(header) :])
        # No memory is allocated for a number claimed in the header.
        with memory_below(5_000_000), pytest.raises(errors.BookDamagedError):
            list(Book.open(path).levels())


def test_closing_while_others_read(whole_book: Made) -> None:
    """The answers are right, or the book is closed; the process does not crash."""
    path, levels = whole_book
    keys, scores = levels[5][0][:50].copy(), levels[5][1][:50].tolist()
    positions = [Position.from_key(key, board="5x4") for key in keys.tolist()]
    with Book.open(path) as book:
        expected = [book.scores(position) for position in positions]
    books = [Book.open(path)]
    wrong: list[object] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            book = books[-1]
            solver = Solver(table_mb=1, book=book)
            try:
                found = [book.scores(position) for position in positions]
                probed = book.probe_many(keys).tolist()
                batch = solver.analyze_many(positions).scores.tolist()
            except ValueError:
                continue
            if (found, probed, len(batch)) != (expected, scores, len(positions)):
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for _ in range(100):
            books.append(Book.open(path))
            books[-2].close()
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    assert not wrong


def test_the_shipped_book_opens() -> None:
    with Book.shipped() as book:
        assert book.info.board == DEFAULT_BOARD
        assert book.probe("4453") == Solver(table_mb=1, book=book).solve("4453").score
    with Book.shipped() as another:
        assert another.probe("") == 1
    with pytest.raises(errors.BookBoardError, match="no book for 6x5"):
        Book.shipped(BoardSize(6, 5))


def test_a_damaged_book_of_another_board_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_book(tmp_path / "c4-4x4-ply16.c4book", board="4x4")
    (tmp_path / "c4-5x4-ply9.c4book").write_bytes(b"damaged")
    monkeypatch.setattr("c4core.book.book._SHIPPED", tmp_path)
    with Book.shipped(BoardSize(4, 4)) as book:
        assert book.probe("") == 0
    with pytest.raises(errors.BookForeignError):
        Book.shipped(BoardSize(5, 4))


def test_books_of_first_moves_are_made_from_the_table() -> None:
    with Book.shipped(BoardSize(8, 6)) as book:
        assert (len(book), book.path, book.info.last_ply) == (5, "", 1)
        assert book.scores("") == (-2, -2, -1, -1, -1, -1, -2, -2)
        assert repr(book) == "Book.shipped(BoardSize(width=8, height=6))"
        assert pickle.loads(pickle.dumps(book)).probe("8") == 2  # noqa: S301
        with pytest.raises(errors.BookBoardError, match="the included book: the book is for 8x6"):
            book.probe(Position())
    with Book.shipped(BoardSize(12, 4)) as book:
        assert (book.probe(""), book.scores("")) == (-1, (None,) * 12)


@pytest.mark.parametrize("call", ["solve_many", "analyze_many"])
def test_limits_and_signals_end_a_batch_of_lookups(call: str) -> None:
    """Another thread runs meanwhile, and its signals are handled."""
    with Book.shipped() as book:
        *_, (some, _) = islice(book.levels(), 9)
        keys = np.tile(some, 6)  # half a million
        assert not getattr(Solver(book=book), call)(keys, time_limit=1e-9).exact.all()

    def known() -> int:
        with Book.shipped() as book:
            solver = Solver(book=book)
            with many_signals(lambda *_: solver.stop()):
                found = getattr(solver, call)(keys)
        return int(found.exact.sum())

    to_raise = [KeyboardInterrupt]

    def handle(*_: object) -> None:
        if to_raise:
            raise to_raise.pop()

    def look_up() -> None:
        with Book.shipped() as book, many_signals(handle):
            while to_raise:  # no signal arrived during the batch
                getattr(Solver(book=book), call)(keys)

    # The signal may arrive before or after the batch: then try again.
    await_that(lambda: 0 < known() < len(keys), seconds=HANG_SECONDS)
    with pytest.raises(KeyboardInterrupt):
        look_up()


@contextmanager
def many_signals(handle: Callable[..., object]) -> Iterator[None]:
    """Send many signals to this process from another thread; ``handle`` receives them."""
    done = threading.Event()

    def send() -> None:
        while not done.wait(0.001):
            signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handle)
    sender = threading.Thread(target=send)
    try:
        sender.start()
        yield
    finally:
        done.set()
        sender.join()
        signal.signal(signal.SIGUSR1, before)
