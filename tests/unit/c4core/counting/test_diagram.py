"""The number of positions, compared with an enumeration and with the literature.

The larger boards: S. Edelkamp and P. Kissmann (2008), J. Tromp (OEIS A212693 and "John's Connect
Four Playground").
"""

from itertools import islice, product

import pytest

from c4core import Position
from c4core.counting import count
from c4core.counting.diagram import (
    CountMemoryError,
    common,
    empty_board,
    moved,
    without_four,
)
from c4core.counting.steps import KeyTable
from c4core.errors import BoardError
from c4core.notation import BoardSize
from tests.support.boards.every_position import counted
from tests.support.boards.exhaustive import plies
from tests.support.boards.reference import has_won

SEVEN_BY_SIX = [
    *(1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275, 558_186, 1_662_623, 4_568_683),
    *(12_236_101, 30_929_111, 75_437_595),
]


@pytest.mark.parametrize(
    ("width", "height"), [(1, 1), (1, 9), (9, 1), (3, 3), (4, 4), (3, 6), (6, 2), (2, 8), (5, 3)]
)
def test_every_ply_agrees_with_an_enumeration(width: int, height: int) -> None:
    assert counted(width, height) == [len(keys) for keys in plies(width=width, height=height)]


def test_all_of_5x5() -> None:
    assert sum(counted(5, 5)) == 69_763_700


def test_won_positions_are_counted() -> None:
    won = [
        sum(Position.from_key(key, board="4x4").winner is not None for key in keys.tolist())
        for keys in islice(plies(width=4, height=4), 12)
    ]
    assert [ply.won for ply in islice(count(BoardSize(4, 4)), 12)] == won


def test_the_first_plies_of_7x6() -> None:
    plies = islice(count(BoardSize(7, 6)), len(SEVEN_BY_SIX))
    assert [ply.positions for ply in plies] == SEVEN_BY_SIX


@pytest.mark.parametrize(("width", "height"), [(4, 2), (1, 7), (2, 5)])
def test_fillings_without_a_four(width: int, height: int) -> None:
    columns = [
        "".join(stones) for size in range(height + 1) for stones in product("xo", repeat=size)
    ]
    fillings = list(product(columns, repeat=width))
    for side in "xo":
        expected = sum(not has_won(filling, side) for filling in fillings)
        board = BoardSize(width, height)
        assert without_four(board, first_player=side == "x").positions == expected


def test_operations_on_sets() -> None:
    board = empty_board(BoardSize(3, 2))
    assert (board.positions, board.nodes) == (1, 9)
    one = moved(board, first_player=True)
    assert one.positions == 3
    nothing = common(one, board)
    assert (nothing.positions, nothing.nodes, nothing.root) == (0, 0, 0)
    assert moved(nothing, first_player=False).positions == 0
    assert common(one, without_four(BoardSize(3, 2), first_player=True)).positions == 3


def test_impossible_boards_and_too_little_memory_are_refused() -> None:
    with pytest.raises(CountMemoryError, match="more than 1 MB of memory"):
        list(count(BoardSize(6, 6), most_bytes=1 << 20))
    with pytest.raises(BoardError):
        next(count(BoardSize(8, 8)))


def test_keys_are_numbered_in_order_of_arrival() -> None:
    table = KeyTable(3)
    first: dict[tuple[int, ...], int] = {}
    for number in range(60_000):
        key = (number % 20_000, 7, number % 3)
        assert table.add(key) == first.setdefault(key, len(first) + 1)
    assert table.count == len(first)
    assert table.nbytes >= 3 * 4 * len(first)
    with pytest.raises(ValueError, match="has 2 words, not 3"):
        KeyTable(2).add([1, 2, 3])
    with pytest.raises(ValueError, match="1 to 36 words, not 37"):
        KeyTable(37)
