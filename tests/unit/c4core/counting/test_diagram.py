"""The number of positions, compared with an enumeration and with the literature.

A saved count can be continued, and other files are refused.

The larger boards: S. Edelkamp and P. Kissmann (2008), J. Tromp (OEIS A212693 and "John's Connect
Four Playground").
"""

import contextlib
import hashlib
import random
import re
from itertools import islice, product
from pathlib import Path

import pytest

from c4core import Position
from c4core.counting import begin, count, load_count, save_count
from c4core.counting.diagram import (
    CountFileError,
    CountMemoryError,
    common,
    empty_board,
    moved,
    without_four,
)
from c4core.counting.steps import KeyTable
from c4core.errors import BoardError
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
    *_, last = count(begin(4, 4))
    won = [
        sum(Position.from_key(key, width=4, height=4).winner is not None for key in keys.tolist())
        for keys in islice(plies(width=4, height=4), 12)
    ]
    assert [ply.won for ply in last.plies[:12]] == won


def test_the_first_plies_of_7x6() -> None:
    *_, last = islice(count(begin(7, 6)), len(SEVEN_BY_SIX) - 1)
    assert [ply.positions for ply in last.plies] == SEVEN_BY_SIX
    assert not last.is_done


@pytest.mark.parametrize(("width", "height"), [(4, 2), (1, 7), (2, 5)])
def test_fillings_without_a_four(width: int, height: int) -> None:
    columns = [
        "".join(stones) for size in range(height + 1) for stones in product("xo", repeat=size)
    ]
    fillings = list(product(columns, repeat=width))
    for side in "xo":
        expected = sum(not has_won(filling, side) for filling in fillings)
        assert without_four(width, height, first_player=side == "x").positions == expected


def test_operations_on_sets() -> None:
    board = empty_board(3, 2)
    assert (board.positions, board.nodes) == (1, 9)
    one = moved(board, first_player=True)
    assert one.positions == 3
    nothing = common(one, board)
    assert (nothing.positions, nothing.nodes, nothing.root) == (0, 0, 0)
    assert moved(nothing, first_player=False).positions == 0
    assert common(one, without_four(3, 2, first_player=True)).positions == 3


def test_impossible_boards_and_too_little_memory_are_refused() -> None:
    with pytest.raises(CountMemoryError, match="more than 1 MB of memory"):
        list(count(begin(6, 6), most_bytes=1 << 20))
    with pytest.raises(BoardError):
        begin(8, 8)


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


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    *_, half = islice(count(begin(4, 3)), 6)
    save_count(tmp_path / "whole", half)
    return (tmp_path / "whole").read_bytes()


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(CountFileError) as caught:
        load_count(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def sealed(content: bytes) -> bytes:
    """Add a right checksum to any content."""
    return content[:-32] + hashlib.sha256(content[:-32]).digest()


def changed(content: bytes, place: int, value: int) -> bytes:
    data = bytearray(content)
    data[place] = value
    return bytes(data)


def test_a_count_continues_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.c4count"
    *_, last = count(begin(4, 4))
    progress = begin(4, 4)
    while not progress.is_done:
        save_count(path, progress)
        progress = next(count(load_count(path)))
    assert progress.plies == last.plies
    save_count(path, progress)
    assert list(count(load_count(path))) == []


def test_truncated_and_changed_files_are_refused(content: bytes, tmp_path: Path) -> None:
    for length in [*range(60), *range(60, len(content), 41)]:
        refused(tmp_path / "cut", content[:length])
    refused(tmp_path / "longer", content + b"\0")
    for place in range(0, len(content), 13):
        refused(tmp_path / "changed", changed(content, place, content[place] ^ 0x10))
    with pytest.raises(IsADirectoryError):
        load_count(tmp_path)


def test_forged_files_are_refused(content: bytes, tmp_path: Path) -> None:
    chance = random.Random(1)
    for _ in range(150):
        forged = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            forged[chance.randrange(len(forged))] = chance.choice((0, 1, 2, 255, 128))
        path = tmp_path / "forged"
        path.write_bytes(sealed(bytes(forged)))
        with contextlib.suppress(CountFileError):
            assert load_count(path).open_positions.nodes > 0


def test_messages_of_wrong_files(content: bytes, tmp_path: Path) -> None:
    for place, value, problem in (
        (0, 0, "this is not a saved count"),
        (16, 99, "its end is missing, or it was changed"),
    ):
        assert re.search(problem, refused(tmp_path / "file", changed(content, place, value)))
    number, wrong = 16 + 24 * 6, "the diagram and the last ply differ in the number of positions"
    for place, value, problem in (
        (8, 2, "its format has version 2, not 1"),
        (10, 200, "impossible board 200x3|the limit"),
        (12, 0, "its length does not match its levels"),
        (16 + 24 * 7, 2, "its length does not match its levels"),
        (-34, 0xFF, "a node does not exist"),
        (number, content[number] ^ 1, wrong),
    ):
        assert re.search(
            problem, refused(tmp_path / "file", sealed(changed(content, place, value)))
        )
