"""Makes ``cli/data/sample-positions.txt``: what ``c4 analyze --sample`` analyzes.

Random legal play from a seed. A fixed number of positions for each number of stones, none of them
over, none twice (nor a mirror image of another), sorted from the opening to the endgame::

    python benchmarks/make_sample.py > cli/data/sample-positions.txt

Early positions are hard: one with 6 stones takes seconds, one with 20 some milliseconds. So the
first plies that are in it are few, and the whole takes well under a minute on one core.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from c4core import Position
from c4core.notation import format_moves

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 4
COUNTS = {6: 2, 7: 2, 8: 4, 9: 4, 10: 6, 11: 6} | dict.fromkeys(range(12, 40), 9) | {40: 12, 41: 12}
"""How many positions of each number of stones."""


def sample(seed: int) -> Iterator[str]:
    """The moves of the positions, by number of stones."""
    chance = random.Random(seed)  # noqa: S311 (no secrets here)
    for plies, number in COUNTS.items():
        found: dict[int, str] = {}
        while len(found) < number:
            moves = _random_game(chance, plies)
            if moves is not None:
                found.setdefault(Position(moves).canonical_key, moves)
        yield from found.values()


def _random_game(chance: random.Random, plies: int) -> str | None:
    """Random moves that lead to a position with so many stones, None where the game ended."""
    position, columns = Position(), []
    for _ in range(plies):
        columns.append(chance.choice(position.legal_columns()))
        position = position.play(columns[-1])
        if position.is_over:
            return None
    return format_moves(columns)


if __name__ == "__main__":
    for line in sample(SEED):
        print(line)
