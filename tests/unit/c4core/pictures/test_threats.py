"""Threats, compared with playing a stone there and checking every line."""

from hypothesis import given

from c4core.pictures.board import find_threats
from c4core.position import Position
from tests.support.boards.positions import games
from tests.support.boards.reference import columns_of

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def slow_threats(position: Position, side: str) -> set[tuple[int, int]]:
    """Every empty cell that completes a line whose other three stones are the side's."""
    columns = columns_of(position)
    own = {
        (column, row)
        for column, stones in enumerate(columns)
        for row, stone in enumerate(stones)
        if stone == side
    }
    found = set()
    for column in range(position.width):
        for row in range(len(columns[column]), position.height):
            for right, up in DIRECTIONS:
                for first in range(-3, 1):
                    line = [
                        (column + (first + step) * right, row + (first + step) * up)
                        for step in range(4)
                    ]
                    if own.issuperset({*line} - {(column, row)}):
                        found.add((column, row))
    return found


@given(games(minimum=2) | games(sizes=[(8, 8), (10, 7), (20, 5), (4, 31)]))
def test_threats_are_found(game: tuple[Position, str]) -> None:
    position, _ = game
    threats = find_threats(position)
    for side, cells in threats.items():
        assert len(cells) == len(set(cells))
        assert set(cells) == slow_threats(position, side)


def test_threats_of_a_known_position() -> None:
    threats = find_threats(Position("121212"))
    assert threats == {"x": [(0, 3)], "o": [(1, 3)]}
