"""Qiu, Wang, Xu 2022: four algorithms, judged by games won and by total moves."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from benchmarks.experiments.experiment import Experiment, Finding
from benchmarks.experiments.playing import made, play_both

if TYPE_CHECKING:
    from benchmarks.experiments.playing import Games

PLAYERS: Final = ("mcts-uct", "pvs", "alphabeta", "greedy")
"""As the source ranks them, the best one first."""


def _lengths(games: int, seed: int) -> Finding:
    totals: dict[str, Games] = {}
    for pair in combinations(PLAYERS, 2):
        played = play_both(made(pair[0]), made(pair[1]), games, seed)
        for name, seen in zip(pair, (played, played.reversed()), strict=True):
            totals[name] = totals[name] + seen if name in totals else seen
    rows, means = [], {}
    for name, seen in totals.items():
        means[name] = seen.won_moves / max(1, seen.results.wins)
        rows.append(
            (
                name,
                seen.text,
                f"{seen.score:.1%}",
                f"{means[name]:.1f}",
                f"{seen.lost_moves / max(1, seen.results.losses):.1f}",
                f"{seen.moves / seen.results.games:.1f}",
            )
        )
    ranked = sorted(totals, key=lambda name: -totals[name].score)
    quickest = sorted(means, key=lambda name: means[name])
    found = (
        f"By score: {', '.join(ranked)}. By the length of the games that each won, the shortest "
        f"first: {', '.join(quickest)}."
    )
    headings = ("", "won-lost-drawn", "score", "moves, won", "moves, lost", "moves, all")
    return Finding(headings, tuple(rows), found)


EXPERIMENTS: Final = (
    Experiment(
        "lengths",
        "Qiu, Wang, Xu 2022: total moves",
        "Each pair plays 12 games by turns; wins and total moves are counted. Monte Carlo tree "
        "search wins most, before PVS, alpha-beta and greedy, and in relatively few moves. No "
        "numbers were available, neither the depths nor the number of iterations.",
        200,
        _lengths,
    ),
)
