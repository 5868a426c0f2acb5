"""Random games on 7x6."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from c4core.notation import format_moves
from c4core.position import Position

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator


class Game(NamedTuple):
    """The moves of a random game, and the position after them."""

    moves: str
    position: Position


def random_game(chance: random.Random, stones: int) -> Game | None:
    """Play this many random legal moves on 7x6; None if they end the game."""
    position, columns = Position(), list[int]()
    for _ in range(stones):
        columns.append(chance.choice(position.legal_columns()))
        position = position.play(columns[-1])
        if position.is_over:
            return None
    return Game(format_moves(columns), position)


def random_games(chance: random.Random, stones: int) -> Iterator[Game]:
    """An endless stream of random open games, with repetitions."""
    while True:
        game = random_game(chance, stones)
        if game is not None:
            yield game


def different_games(chance: random.Random, stones: int, count: int) -> list[Game]:
    """Random open games to different positions; mirror images count as the same."""
    found: dict[int, Game] = {}
    games = random_games(chance, stones)
    while len(found) < count:
        game = next(games)
        found.setdefault(game.position.canonical_key, game)
    return list(found.values())
