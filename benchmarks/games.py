"""Positions of random games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.dice import Dice
from c4core.notation import format_moves
from c4core.position import Position

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from c4core.notation import BoardSize

FRUITLESS: Final = 2000
"""Draws without a new position after which drawing fails."""


class Game(NamedTuple):
    """The moves of a random game, and the position after them."""

    moves: str
    position: Position


def random_games(chance: random.Random, stones: int) -> Iterator[Game]:
    """An endless stream of open games of random legal moves on 7x6, with repetitions."""
    while True:
        position, columns = Position(), list[int]()
        for _ in range(stones):
            columns.append(chance.choice(position.legal_columns()))
            position = position.play(columns[-1])
            if position.is_over:
                break
        else:
            yield Game(format_moves(columns), position)


def different_games(chance: random.Random, stones: int, count: int) -> list[Game]:
    """Random open games to different positions; mirror images count as the same."""
    found: dict[int, Game] = {}
    games = random_games(chance, stones)
    while len(found) < count:
        game = next(games)
        found.setdefault(game.position.canonical_key, game)
    return list(found.values())


def draw_roots(board: BoardSize, *, seed: int, count: int) -> list[Position]:
    """Different open positions in which nobody can win at once.

    Random moves fill a tenth to a third of the board.

    Raises:
        ValueError: the board has too few such positions.
    """
    dice, found, fruitless = Dice(seed), dict[int, Position](), 0
    least, most = board.cells // 10, board.cells // 3
    while len(found) < count:
        fruitless += 1
        if fruitless > FRUITLESS:
            raise ValueError(
                f"{count} positions to start from are too many for {board}: {len(found)} were found"
            )
        position = Position(board=board)
        for _ in range(least + dice.below(most - least + 1)):
            if position.is_over:
                break
            position = position.play(dice.pick(position.legal_columns()))
        is_open = not any(map(position.is_winning, position.legal_columns()))
        if not position.is_over and is_open and position.canonical_key not in found:
            found[position.canonical_key] = position
            fruitless = 0
    return list(found.values())
