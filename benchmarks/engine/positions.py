"""The positions of the six classes, read from a directory or drawn at random, and the sample.

A position of a class comes from random legal moves; their number is drawn from the range of its
phase. No game is over, and only one of two mirror images is kept. Positions with a win within two
plies are left out, because they are not searched. The scores are this engine's, so they can check
other solvers and later versions of this engine, but not the version that made them.

The sample is ``cli/data/sample-positions.txt``, which ``c4 analyze --sample`` analyzes::

    python -m benchmarks engine sample > cli/data/sample-positions.txt

Its early positions are hard: one with 6 stones takes seconds, and one with 20 a few milliseconds.
So there are few early positions, and all together take well under a minute on one core.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from benchmarks.games import different_games, random_game
from c4core import Solver
from c4core.evaluation import plies_to_end
from cli.measuring import CLASSES, ScoredPosition, class_of, read_scored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from c4core import Position

STONES = {"begin": range(4, 15), "middle": range(15, 29), "end": range(29, 42)}
"""Numbers of stones on the board in each phase of the game."""
LEAST_PLIES = 3
"""Positions with a win in fewer plies than this are left out."""
SAMPLE_SEED = 4
SAMPLE_COUNTS = (
    {6: 2, 7: 2, 8: 4, 9: 4, 10: 6, 11: 6} | dict.fromkeys(range(12, 40), 9) | {40: 12, 41: 12}
)
"""Number of positions in the sample for each number of stones."""


def read_directory(directory: Path) -> dict[str, list[ScoredPosition]]:
    """Read ``CLASS.txt`` for every class: lines of ``moves score``."""
    classes = {}
    for name in CLASSES:
        path = directory / f"{name}.txt"
        if path.exists():
            try:
                classes[name] = read_scored(path.read_text(encoding="ascii").splitlines())
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
    if not classes:
        raise FileNotFoundError(f"{directory} has none of the files {', '.join(CLASSES)} (.txt)")
    return classes


def draw(seed: int, counts: Mapping[str, int]) -> dict[str, list[ScoredPosition]]:
    """Draw positions of each class. The same seed draws the same positions."""
    drawn: dict[str, list[ScoredPosition]] = {name: [] for name in CLASSES}
    for phase, stones in STONES.items():
        wanted = {name: n for name, n in counts.items() if name.startswith(f"{phase}-") and n}
        candidates = _scored_positions(random.Random(f"{seed} {phase}"), stones)  # noqa: S311
        while any(len(drawn[name]) < number for name, number in wanted.items()):
            position = next(candidates)
            name = class_of(position)
            if len(drawn[name]) < wanted.get(name, 0):
                drawn[name].append(position)
    return drawn


def _scored_positions(lots: random.Random, stones: range) -> Iterator[ScoredPosition]:
    """An endless stream of different positions of a phase, with their scores."""
    solver = Solver()
    seen = set()
    while True:
        game = random_game(lots, lots.choice(stones))
        if game is None or game.position.canonical_key in seen:
            continue
        moves, position = game
        seen.add(position.canonical_key)
        score = solver.solve(position).score
        if score is not None and not _ends_at_once(position, score):
            yield ScoredPosition(moves, score)


def _ends_at_once(position: Position, score: int) -> bool:
    left = plies_to_end(score, position.ply, position.width, position.height)
    return score != 0 and left < LEAST_PLIES


def sample(seed: int) -> Iterator[str]:
    """The moves of the sample's positions, by number of stones, without repeats."""
    chance = random.Random(seed)  # noqa: S311 (no secrets here)
    for plies, number in SAMPLE_COUNTS.items():
        yield from (game.moves for game in different_games(chance, plies, number))
