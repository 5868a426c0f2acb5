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

from c4core import KeyValueError, MoveError, Position, Solver
from c4core.arrays import open_plies, plies, wins_now
from c4core.book import Book
from c4core.book.layout import pack_header
from c4core.book.writer import write_book
from c4core.errors import (
    BookBoardError,
    BookContentError,
    BookDamagedError,
    BookForeignError,
    BookTruncatedError,
    BookVersionError,
)
from c4core.evaluation import NO_SCORE
from c4core.notation import DEFAULT_BOARD, BoardSize
from tests.support.boards.small_books import opening, resealed, small_book, whole_game
from tests.support.memory import memory_below
from tests.support.running.waiting import HANG_SECONDS, await_that

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from c4core.book.layout import Kind
    from tests.support.boards.small_books import Level


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
    [(4, 4, ""), (4, 4, "1432"), (5, 4, "1325"), (5, 4, "33"), (4, 5, "22"), (6, 3, "162"),
     (1, 4, ""), (7, 2, "")],
)  # fmt: skip
def test_whole_boards_are_answered(tmp_path: Path, width: int, height: int, moves: str) -> None:
    path = tmp_path / "whole.c4book"
    levels = small_book(path, width=width, height=height, moves=moves)
    with Book.open(path) as book:
        assert len(book) == sum(len(keys) for keys, _ in levels)
        for (keys, scores), (its_keys, its_scores) in zip(levels, book.levels(), strict=True):
            assert np.array_equal(book.probe_many(keys), scores)
            assert np.array_equal(keys, its_keys)
            assert np.array_equal(scores, its_scores)


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


@pytest.mark.parametrize(("width", "moves"), [(4, ""), (5, "33")])
def test_a_sparse_book_answers_its_positions(tmp_path: Path, width: int, moves: str) -> None:
    path = tmp_path / "sparse.c4book"
    start = Position(moves, width=width, height=4)
    levels = small_book(path, moves=moves, width=width, height=4, kind="sparse")
    book = Book.open(path)
    for (keys, scores), (its_keys, its_scores) in zip(levels, book.levels(), strict=True):
        assert np.array_equal(keys, its_keys)
        assert np.array_equal(scores, its_scores)
    assert len(book) == len(list(book)) == sum(len(keys) for keys, _ in levels)
    for (keys, scores), (chosen, _) in zip(whole_game(start), levels, strict=True):
        answers = book.probe_many(keys)
        known = answers != NO_SCORE
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


def test_immediate_wins_need_no_slot(opening_book: tuple[Path, list[Level]]) -> None:
    """Holds also for positions that cannot be reached from the start."""
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
        assert answers.tolist() == [NO_SCORE if score is None else score for score in expected]
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


def test_info_shows_the_header(opening_book: tuple[Path, list[Level]]) -> None:
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


def test_a_book_may_be_closed_while_positions_are_read(small: Path) -> None:
    book = Book.open(small)

    def positions() -> Iterator[
        Position
    ]:  # not a sequence: a mistake that only the type checker would find
        yield Position(width=4, height=4)
        book.close()
        yield Position("1", width=4, height=4)

    with pytest.raises(ValueError, match="closed"):
        book.probe_many(cast("list[Position]", positions()))


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"SQLite format 3\0" * 50)
    with pytest.raises(BookForeignError, match="not an opening book") as caught:
        Book.open(other)
    assert (caught.value.path, caught.value.offset) == (str(other), 0)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert (str(again), again.path, again.offset) == (str(caught.value), str(other), 0)
    with pytest.raises(FileNotFoundError):
        Book.open(tmp_path / "nothing")


@pytest.mark.parametrize("length", [0, 1, 7, 8, 47, 48, 100, 600, -40, -1])
def test_truncated_files_are_refused(small: Path, length: int) -> None:
    data = small.read_bytes()
    small.write_bytes(data[:length])
    with pytest.raises(BookTruncatedError, match="cut off") as caught:
        Book.open(small)
    assert caught.value.offset == len(data[:length])


def test_longer_files_and_newer_formats_are_refused(small: Path) -> None:
    data = small.read_bytes()
    small.write_bytes(data + b"x")
    with pytest.raises(BookDamagedError, match="1 bytes follow its end"):
        Book.open(small)
    small.write_bytes(data[:8] + b"\2" + data[9:])
    with pytest.raises(BookVersionError, match="format version 2"):
        Book.open(small)


@pytest.mark.parametrize("offset", [12, 16, 30, 33, 48, 60, 200])
def test_a_changed_byte_of_the_header_is_found(small: Path, offset: int) -> None:
    data = bytearray(small.read_bytes())
    data[offset] ^= 1
    small.write_bytes(data)
    with pytest.raises(BookDamagedError, match=r"checksum|impossible"):
        Book.open(small)


def test_damaged_index_or_group_is_found(
    opening_book: tuple[Path, list[Level]], tmp_path: Path
) -> None:
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
    with pytest.raises(
        BookDamagedError, match="a group of ply 18 cannot be read, does not match"
    ) as caught:
        book.probe_many(levels[-1][0])
    assert caught.value.offset == section.offset + section.index_length


@pytest.mark.parametrize(
    ("offset", "value"),
    [(8, 0), (10, 3), (12, 0), (12, 99), (14, 3), (15, 0), (16, 0xFF), (32, 1)],
)
def test_an_inconsistent_header_is_refused(small: Path, offset: int, value: int) -> None:
    """The checksum is right, as a faulty writer would leave it."""
    data = bytearray(small.read_bytes())
    end = 48 + 40 * data[15]
    data[offset] = value
    if offset == 15:
        end = 48
    data[end : end + 4] = struct.pack("<I", zlib.crc32(data[:end]))
    small.write_bytes(data)
    with pytest.raises(BookDamagedError):
        Book.open(small)


@pytest.mark.parametrize("moves", ["2", "22", "1432"])
def test_a_book_with_a_start_knows_only_its_continuations(tmp_path: Path, moves: str) -> None:
    path = tmp_path / "a.c4book"
    levels = small_book(path, width=4, height=4, moves=moves)
    book = Book.open(path)
    for ply, (keys, scores) in enumerate(whole_game(Position(width=4, height=4))):
        answers = book.probe_many(keys)
        known = answers != NO_SCORE
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


WHOLE = Position(width=5, height=4)


@pytest.fixture(scope="module")
def whole_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A complete book with several groups of blocks."""
    path = tmp_path_factory.mktemp("books") / "whole.c4book"
    info = write_book(path, whole_game(WHOLE)[:9], start=WHOLE)
    assert info.plies[-1].count > 8192
    return path.read_bytes()


@pytest.fixture
def whole_book(tmp_path: Path, whole_bytes: bytes) -> tuple[Path, list[Level]]:
    """A copy of that book in a separate file, and its contents."""
    path = tmp_path / "whole.c4book"
    path.write_bytes(whole_bytes)
    return path, whole_game(WHOLE)[:9]


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_file_may_change_while_it_is_open(
    whole_book: tuple[Path, list[Level]], *, asked_before: bool
) -> None:
    """The answers are right, or an exception is raised: later reads are checked."""
    path, levels = whole_book
    keys, scores = levels[-1]
    book = Book.open(path)
    section = book.info.plies[-1]
    if asked_before:
        book.probe_many(keys)
    with path.open("r+b") as file:  # in place, as cp and rsync --inplace do
        for offset in range(section.offset + section.index_length, path.stat().st_size, 97):
            file.seek(offset)
            (byte,) = file.read(1)
            file.seek(offset)
            file.write(bytes([byte ^ 64]))
    wrong = refused = 0
    for key, score in zip(keys[::50].tolist(), scores[::50].tolist(), strict=True):
        try:
            position = Position.from_key(key, width=5, height=4)
            wrong += book.probe(position) != score
        except BookDamagedError:
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
    print(book.probe(Position("1234", width=5, height=4)))
except BookDamagedError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        # A memory-mapped file would end the process with SIGBUS.
        ("cut off", "changed meanwhile"),
        # The disk has failed: the message does not claim that the bytes are wrong.
        ("unreadable", "a group of ply 4 cannot be read"),
    ],
)
def test_a_file_may_fail_while_it_is_open(
    whole_book: tuple[Path, list[Level]], failure: str, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK_A_FILE_THAT_FAILS, whole_book[0], failure],
        stdout=subprocess.PIPE,
        check=False,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0
    assert said in done.stdout


def test_pipes_devices_and_directories_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(BookTruncatedError):
            Book.open(path)
    with pytest.raises(IsADirectoryError):
        Book.open(tmp_path)


@pytest.mark.parametrize("kind", ["complete", "sparse"])
@pytest.mark.parametrize("low", [-127, -126, -125, -20, 100])
def test_impossible_scores_are_refused(tmp_path: Path, kind: Kind, low: int) -> None:
    """Some of these numbers stand for faults inside the reader."""
    path = tmp_path / "forged.c4book"
    small_book(path, width=4, height=4, kind=kind)
    data = bytearray(path.read_bytes())
    section = Book.open(path).info.plies[3]
    struct.pack_into("b", data, section.offset + 1, low)
    path.write_bytes(resealed(bytes(data)))
    with pytest.raises(BookDamagedError, match="index of ply 3 is wrong"):
        Book.open(path)


@pytest.mark.parametrize("kind", ["complete", "sparse"])
@pytest.mark.parametrize(
    ("count", "positions"), [(1 << 40, 1 << 40), (1 << 63, 1 << 63), (0, 1 << 20), (300, 1)]
)
def test_forged_counts_are_refused(tmp_path: Path, kind: Kind, count: int, positions: int) -> None:
    """No memory is allocated for a number claimed in the header."""
    path = tmp_path / "forged.c4book"
    small_book(path, width=4, height=4, kind=kind)
    data = path.read_bytes()
    info = Book.open(path).info
    forged = replace(info.plies[5], count=count or info.plies[5].count, positions=positions)
    header = pack_header(replace(info, plies=(*info.plies[:5], forged, *info.plies[6:])))
    path.write_bytes(header + data[len(header) :])
    with memory_below(5_000_000), pytest.raises(BookDamagedError):
        list(Book.open(path).levels())


def test_a_sparse_book_with_finished_games_is_refused(tmp_path: Path) -> None:
    """This holds for writing and for reading: all other code relies on it."""
    over = Position("1212121", width=5, height=4)
    levels = whole_game(WHOLE)[:8]
    keys = np.sort(np.append(levels[7][0], np.uint64(over.canonical_key)))
    wrong = [*levels[:7], (keys, np.zeros(len(keys), dtype=np.int8))]
    with pytest.raises(BookContentError, match="whose game goes on"):
        write_book(tmp_path / "a.c4book", wrong, start=WHOLE, kind="sparse")


def test_closing_while_others_read(whole_book: tuple[Path, list[Level]]) -> None:
    """The answers are right, or the book is closed; the process does not crash."""
    path, levels = whole_book
    keys, scores = levels[5][0][:50].copy(), levels[5][1][:50].tolist()
    positions = [Position.from_key(key, width=5, height=4) for key in keys.tolist()]
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


def test_positions_may_be_given_as_moves(small: Path) -> None:
    book = Book.open(small)
    asked = Position("1432", width=4, height=4)
    assert book.probe("1432") == book.probe(asked)
    assert book.scores("1432") == book.scores(asked)
    assert book.best("1432") == book.best(asked)
    assert "1432" in book
    with pytest.raises(MoveError, match="column 5 is outside"):
        book.probe("5")
    with pytest.raises(TypeError, match="not int"):
        book.probe(cast("str", 1432))


def test_the_shipped_book_opens() -> None:
    with Book.shipped() as book:
        assert book.info.board == DEFAULT_BOARD
        assert book.probe("4453") == Solver(table_mb=1, book=book).solve("4453").score
    with Book.shipped() as another:
        assert another.probe("") == 1
    with pytest.raises(BookBoardError, match="no book for 6x5"):
        Book.shipped(width=6, height=5)


@pytest.fixture(scope="module")
def known_keys() -> NDArray[np.uint64]:
    """Half a million positions in the shipped book."""
    with Book.shipped() as book:
        *_, (keys, _) = islice(book.levels(), 9)
    return np.tile(keys, 6)


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


@pytest.mark.parametrize("call", ["solve_many", "analyze_many"])
class TestABatchOutOfABook:
    """Limits and signals end a batch that needs lookups only."""

    def test_a_time_limit_ends_it(self, known_keys: NDArray[np.uint64], call: str) -> None:
        with Book.shipped() as book:
            found = getattr(Solver(book=book), call)(known_keys, time_limit=1e-9)
        assert not found.exact.all()

    def test_a_signal_handler_stops_it(self, known_keys: NDArray[np.uint64], call: str) -> None:
        """Another thread runs meanwhile, its signals are handled, and ``stop`` ends the batch."""

        def known() -> int:
            with Book.shipped() as book:
                solver = Solver(book=book)
                with many_signals(lambda *_: solver.stop()):
                    found = getattr(solver, call)(known_keys)
            return int(found.exact.sum())

        # The signal may arrive before or after the batch: then try again.
        await_that(lambda: 0 < known() < len(known_keys), seconds=HANG_SECONDS)

    def test_the_exception_of_a_signal_handler_is_raised(
        self, known_keys: NDArray[np.uint64], call: str
    ) -> None:
        to_raise = [KeyboardInterrupt]

        def handle(*_: object) -> None:
            if to_raise:
                raise to_raise.pop()

        def look_up() -> None:
            with Book.shipped() as book, many_signals(handle):
                solver = Solver(book=book)
                while to_raise:  # no signal arrived during the batch
                    getattr(solver, call)(known_keys)

        with pytest.raises(KeyboardInterrupt):
            look_up()
