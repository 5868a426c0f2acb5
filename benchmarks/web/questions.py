"""The positions that are asked, and the addresses to ask them at."""

from __future__ import annotations

import random
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Final

from benchmarks.random_play import random_game, random_games

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BOOK_PLIES: Final = 11
"""The book that comes with C4 has one stone more: so it knows the score of every column."""


def book_moves(seed: int, count: int) -> list[str]:
    """Openings, from the empty board on: every number of stones as often."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    moves = []
    for stones in range(BOOK_PLIES + 1):
        games = random_games(chance, stones)
        moves += [game.moves for game in islice(games, count // (BOOK_PLIES + 1))]
    chance.shuffle(moves)
    return moves


def positions(seed: int, count: int, stones: int) -> list[str]:
    """Moves to different positions with so many stones; mirror images count as the same."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    found: dict[int, str] = {}
    for game in random_games(chance, stones):
        found.setdefault(game.position.canonical_key, game.moves)
        if len(found) == count:
            break
    return list(found.values())


def steps(seed: int, clients: int, games: int) -> list[str]:
    """What clients ask who step through openings: each a game's positions from the first one on.

    Args:
        seed: of the games.
        clients: who step at the same time: their questions take turns.
        games: of each.
    """
    chance = random.Random(seed)  # noqa: S311 (no secret)
    walks = [list(_walk(chance, games)) for _ in range(clients)]
    return [moves for turn in zip_longest(*walks) for moves in turn if moves is not None]


def _walk(chance: random.Random, games: int) -> Iterator[str]:
    for _ in range(games):
        game = None
        while game is None:
            game = random_game(chance, BOOK_PLIES)
        yield from (game.moves[:length] for length in range(len(game.moves) + 1))


def solve_targets(moves: Iterable[str]) -> list[str]:
    """Addresses of ``/solve``."""
    return [f"/solve?pos={text}" for text in moves]


def position_targets(moves: Iterable[str]) -> list[str]:
    """Addresses of ``/api/v1/position``."""
    return [f"/api/v1/position?moves={text}" for text in moves]
