"""Random games."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from c4core.notation import format_moves
from c4core.position import Position

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator


class Game(NamedTuple):
    """Moves, and where they lead."""

    moves: str
    position: Position


def random_game(chance: random.Random, stones: int) -> Game | None:
    """Play so many random legal moves on 7x6; None if that ends the game."""
    position, columns = Position(), list[int]()
    for _ in range(stones):
        columns.append(chance.choice(position.legal_columns()))
        position = position.play(columns[-1])
        if position.is_over:
            return None
    return Game(format_moves(columns), position)


def random_games(chance: random.Random, stones: int) -> Iterator[Game]:
    """An endless stream of random games that are not over; some may be the same."""
    while True:
        game = random_game(chance, stones)
        if game is not None:
            yield game
