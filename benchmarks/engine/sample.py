"""The positions of ``cli/data/sample-positions.txt``, which ``c4 analyze --sample`` analyzes.

They come from random legal play. There is a fixed number of them for each number of stones, from
the opening to the endgame. No game is over, and no position is repeated, even as a mirror image::

    python -m benchmarks sample > cli/data/sample-positions.txt

Early positions are hard: one with 6 stones takes seconds, and one with 20 some milliseconds. So
there are few early ones, and all together take well under a minute on one core.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from benchmarks.random_play import different_games

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 4
COUNTS = {6: 2, 7: 2, 8: 4, 9: 4, 10: 6, 11: 6} | dict.fromkeys(range(12, 40), 9) | {40: 12, 41: 12}
"""The number of positions for each number of stones."""


def sample(seed: int) -> Iterator[str]:
    """The moves of the positions, by number of stones."""
    chance = random.Random(seed)  # noqa: S311 (no secrets here)
    for plies, number in COUNTS.items():
        yield from (game.moves for game in different_games(chance, plies, number))
