"""Positions from random games: the right ones, with the right frequencies, without repeats."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from c4core import BoardSize, Position
from c4core.arrays import open_plies
from c4core.book import Book
from c4core.dataset.draw import Sample, choose_from_book, draw_by_plies, draw_from_play, gather
from c4core.dice import Dice
from c4core.players.playouts import draw_positions
from tests.support.boards.small_books import small_book

TINY = BoardSize(3, 3)
SMALL = BoardSize(5, 4)


def positions(keys: np.ndarray, board: BoardSize) -> list[Position]:
    return [Position.from_key(key, board=board) for key in keys.tolist()]


def plies(keys: np.ndarray, board: BoardSize) -> list[int]:
    return [position.ply for position in positions(keys, board)]


def everything(board: BoardSize) -> list[np.ndarray]:
    return list(open_plies(Position(board=board)))


def test_random_moves_are_uniform_over_open_columns() -> None:
    # On 3 x 3, whose games never end early: the first stone is in the middle or at a side.
    keys = draw_positions(Dice(1), 30_000, 1, 1, TINY)
    middle = Position("2", board="3x3").canonical_key
    assert (keys == middle).mean() == pytest.approx(1 / 3, abs=0.01)
    # Column 1 is full after three stones; then the others share the draws.
    keys = draw_positions(Dice(1), 200_000, 4, 4, TINY)
    full = [Position(f"111{column}", board="3x3").canonical_key for column in "23"]
    first, second = ((keys == key).sum() for key in full)
    assert first == pytest.approx(second, rel=0.1)


def test_a_finished_game_gives_no_position() -> None:
    keys = draw_positions(Dice(1), 5_000, 20, 20, BoardSize(7, 6))
    drawn = positions(keys, BoardSize(7, 6))
    assert 0 < len(drawn) < 5_000
    assert {(position.is_over, position.ply) for position in drawn} == {(False, 20)}


def test_all_positions_of_a_game_are_equally_likely() -> None:
    keys = draw_positions(Dice(1), 30_000, 2, 5, TINY)
    numbers = np.bincount(plies(keys, TINY))
    assert numbers[2:] / len(keys) == pytest.approx([0.25] * 4, abs=0.02)
    assert not numbers[:2].any()


@pytest.mark.parametrize("board", [BoardSize(8, 8), BoardSize(10, 7), BoardSize(31, 3)], ids=str)
def test_keys_on_wide_boards_have_two_halves(board: BoardSize) -> None:
    keys = draw_positions(Dice(1), 200, 5, 12, board)
    assert (keys.shape, keys.dtype) == ((len(keys), 2), np.uint64)
    whole = [low | high << 64 for low, high in keys.tolist()]
    drawn = [Position.from_key(key, board=board) for key in whole]
    assert [position.canonical_key for position in drawn] == whole
    assert {position.ply for position in drawn} == set(range(5, 13))
    assert not any(position.is_over for position in drawn)


@pytest.mark.parametrize(("first", "last"), [(-1, 3), (4, 3), (0, 9)])
def test_bad_plies_are_refused(first: int, last: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 8 on a 3x3 board"):
        draw_positions(Dice(1), 1, first, last, TINY)


@pytest.mark.parametrize("draw", [draw_by_plies, draw_from_play])
def test_positions_are_drawn_by_a_seed(draw: Callable[..., Sample]) -> None:
    sample = draw(TINY, 0, 8, 1_000, 1)
    assert sample.is_all
    assert sample.keys.tolist() == np.sort(np.concatenate(everything(TINY))).tolist()
    assert sample.drawn == len(sample.keys) + sample.duplicates

    first, again, other = (draw(SMALL, 0, 19, 500, seed) for seed in (1, 1, 2))
    assert first.keys.tolist() == again.keys.tolist()
    assert (first.drawn, first.duplicates) == (again.drawn, again.duplicates)
    assert set(first.keys.tolist()) != set(other.keys.tolist())
    assert len(first.keys) == 500
    assert not first.is_all


def test_all_plies_get_equal_numbers() -> None:
    sample = draw_by_plies(SMALL, 6, 9, 402, 1)
    assert np.bincount(plies(sample.keys, SMALL))[6:].tolist() == [101, 101, 100, 100]
    # Other plies fill up for small ones.
    there_are = list(map(len, islice(everything(SMALL), 5)))
    numbers = np.bincount(plies(draw_by_plies(SMALL, 0, 4, 200, 1).keys, SMALL)).tolist()
    assert numbers[:3] == there_are[:3]
    assert sum(numbers) == 200
    assert all(number <= most for number, most in zip(numbers, there_are, strict=True))


def test_repeats_in_a_stream_are_dropped() -> None:
    sample = gather(iter([5, 3, 5, 9, 3, 3]), 10, 1)
    assert sample.keys.tolist() == [3, 5, 9]
    assert (sample.drawn, sample.duplicates, sample.is_all) == (6, 3, True)
    assert not gather(iter([5, 3, 9]), 2, 1).is_all
    assert gather(iter([]), 2, 1).keys.tolist() == []


def test_positions_are_chosen_from_a_book(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    small_book(path, board="4x4")
    with Book.open(path) as book:
        last = book.info.last_ply
        every = choose_from_book(book, 0, last, 100_000, 1)
        assert len(every.keys) == len(book)
        some = choose_from_book(book, 1, last - 1, 7, 1)
        assert len(some.keys) == 7
        assert set(plies(some.keys, BoardSize(4, 4))) <= set(range(1, last))
        assert not some.is_all
