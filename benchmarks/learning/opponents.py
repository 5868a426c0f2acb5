"""Games of a learner against every other player."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.learning.measure import mark_of_game
from c4core.arena.seeds import game_seed, match_seed
from c4core.book import Book
from c4core.dice import Dice
from c4core.players.player import Resources
from c4core.players.registry import parse_player
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterator


OPPONENTS: Final = (
    "stupid",
    "random",
    "greedy",
    "set",
    "blog-v1",
    "blog-v2",
    "blog-v3",
    "blog-v4",
    "blog-v5",
    "blog-v6",
    "alphabeta",
    "pvs",
    "minimax-features",
    "minimax-squares",
    "minimax-runs:time_ms=50",
    "minimax-threats:time_ms=50",
    "minimax-windows",
    "montecarlo-flat",
    "montecarlo-timed:time_ms=20",
    "mcts-uct",
    "learning-cnn:model={cnn}",
    "learning-exact:model={exact}",
    "learning-selfplay:model={selfplay}",
    "learning-tuples:model={tuples}",
    "perfect",
)
"""Every player that plays from any position, programs and stored games apart."""

TABLE_MB: Final = 256
"""Of the solver that perfect play asks."""

STONES: Final = 4
"""Of the openings that two players without random choices begin from."""


def openings(count: int, seed: int) -> list[Position]:
    """Different positions with :data:`STONES` stones that are not over, drawn at random."""
    dice, found = Dice(seed), dict[str, Position]()
    while len(found) < count:
        position = Position()
        for _ in range(STONES):
            position = position.play(dice.pick(position.legal_columns()))
        found.setdefault(str(position.key), position)
    return list(found.values())


def play_opponent(player: str, opponent: str, *, games: int, seed: int) -> dict[str, Any]:
    """A match in which the players take turns to move first.

    From the empty board if one of them has random choices; else each begins once from every one of
    games / 2 openings.

    Args:
        player: the player's description.
        opponent: the opponent's description.
        games: the number of games, even.
        seed: the seed of all random choices.
    """
    name = opponent.partition(":model")[0]
    seed = match_seed(seed, player.partition(":")[0], name)
    began = time.perf_counter()
    resources = Resources(Solver(table_mb=TABLE_MB, book=Book.shipped()))
    with parse_player(player).make() as a, parse_player(opponent).make(resources) as b:
        by_chance = a.is_random or b.is_random
        marks = "".join(
            mark_of_game(a, b, **each)
            for each in (_by_seed(games, seed) if by_chance else _by_opening(games, seed))
        )
    return {
        "opponent": name,
        "marks": marks,
        "openings": not by_chance,
        "seconds": round(time.perf_counter() - began, 1),
    }


def _by_seed(games: int, seed: int) -> Iterator[dict[str, Any]]:
    for number in range(games):
        yield {"a_begins": number % 2 == 0, "seed": game_seed(seed, number)}


def _by_opening(games: int, seed: int) -> Iterator[dict[str, Any]]:
    for start in openings(games // 2, seed):
        for a_begins in (True, False):
            yield {"a_begins": a_begins, "seed": 0, "start": start}
