"""Patterns around a square, compared with a check of the board square by square."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from c4core import Position
from c4core.order_training.samples import patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

# Steps across and up: below, along the row, falling, rising.
STEPS = ((0, 1), (1, 0), (1, -1), (1, 1))
# Some boards are so low that a step has fewer bits than a square has neighbours.
BOARDS = [(7, 6), (6, 7), (8, 7), (4, 4), (9, 3), (12, 2), (32, 1), (3, 19), (8, 5), (5, 10)]


def _reach(height: int, direction: int) -> int:
    return 3 if direction == 0 else min(3, (height + 1 + STEPS[direction][1]) // 2)


def _number(position: Position, column: int, row: int, direction: int) -> int:
    across, up = STEPS[direction]
    reach = _reach(position.height, direction)
    digits = []
    for distance in range(-reach, reach + 1 if direction else 0):
        x, y = column + distance * across, row + distance * up
        if distance and 0 <= x < position.width and 0 <= y < position.height:
            stone = position.stone_at(x, y)
            theirs = 2 if direction else 0
            digits.append(0 if stone is None else 1 if stone == position.turn else theirs)
    base = 3 if direction else 2
    return sum(digit * base**index for index, digit in enumerate(digits))


def _points(position: Position, column: int, row: int) -> int:
    """The points of all windows through a square, counted one by one."""
    points = 0
    for across, up in STEPS:
        for first in range(-3, 1):
            window = [(column + i * across, row + i * up) for i in range(first, first + 4)]
            if not all(0 <= x < position.width and 0 <= y < position.height for x, y in window):
                continue
            stones = [position.stone_at(x, y) for x, y in window]
            own = stones.count(position.turn)
            if own + stones.count(None) == 4:
                points += {1: 8, 2: -8}.get(own, 0)
            if own == 0:
                points += 2
    return points


def _positions(width: int, height: int) -> Iterator[Position]:
    dice = random.Random(width * 100 + height)
    for _ in range(40):
        position = Position("", width=width, height=height)
        for _ in range(dice.randrange(width * height)):
            if position.is_over:
                break
            position = position.play(dice.choice(position.legal_columns()))
        yield position


@pytest.mark.parametrize("size", BOARDS)
def test_patterns_agree_with_the_neighbouring_squares(size: tuple[int, int]) -> None:
    width, height = size
    for position in _positions(width, height):
        heights = position.heights
        expected = [
            tuple(_number(position, column, heights[column], direction) for direction in range(4))
            for column in range(width)
            if heights[column] < height
        ]
        assert [numbers for numbers, _ in patterns(position)] == expected


@pytest.mark.parametrize("size", [size for size in BOARDS if size[1] >= 6])
def test_points_agree_with_the_windows(size: tuple[int, int]) -> None:
    width, height = size
    for position in _positions(width, height):
        heights = position.heights
        expected = [
            _points(position, column, heights[column])
            for column in range(width)
            if heights[column] < height
        ]
        assert [points for _, points in patterns(position)] == expected
