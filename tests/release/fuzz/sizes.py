"""Board sizes and moves for cases: usual ones, the largest possible, and impossible ones."""

from random import Random

from c4core.errors import C4Error
from c4core.position import Position

BOARDS = (
    (7, 6), (7, 6), (5, 4), (4, 4), (1, 1), (3, 3), (8, 7), (32, 1), (3, 19), (4, 15), (12, 4),
    (8, 8), (10, 7), (4, 31), (61, 1),
)  # fmt: skip
IMPOSSIBLE = (
    (0, 1), (7, -1), (19, 9), (70, 1), (1, 63), (62, 1), (2**31, 1), (-1, 2**32), (2**70, 6),
)  # fmt: skip


def board(chance: Random, impossible: float = 0.1) -> tuple[int, int]:
    return chance.choice(IMPOSSIBLE if chance.random() < impossible else BOARDS)


def random_position(chance: Random, width: int, height: int) -> Position:
    """A position of random play; it may be over."""
    position = Position(width=width, height=height)
    for _ in range(chance.randrange(width * height + 1)):
        try:
            position = position.play(chance.randrange(width))
        except C4Error:
            break
    return position
