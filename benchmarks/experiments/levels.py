"""Huang, Lu 2025: the seconds of the three levels."""

from __future__ import annotations

from typing import Final

from benchmarks.experiments.experiment import Experiment, Finding
from benchmarks.experiments.playing import made, play_both

GAMES: Final = 50
PAIRS: Final = (
    ("random", "minimax-windows", 4.19, "0-50-0"),
    ("random", "montecarlo-flat", 399.0, "0-50-0"),
    ("minimax-windows", "montecarlo-flat", 523.0, "18-32-0"),
)
"""Seconds and results of 50 games; the first one is told as 11.92 games a second."""


def _seconds(games: int, seed: int) -> Finding:
    rows, gains = [], []
    for a, b, seconds, results in PAIRS:
        played = play_both(made(a), made(b), games, seed)
        here = played.seconds / games
        gains.append(seconds / GAMES / here)
        rows.append(
            (
                f"{a} - {b}",
                results,
                played.text,
                f"{seconds / GAMES:.3f}",
                f"{here:.6f}",
                f"{GAMES / seconds:,.2f}",
                f"{1 / here:,.0f}",
                f"{gains[-1]:,.0f}",
            )
        )
    found = (
        f"A game takes {min(gains):,.0f} to {max(gains):,.0f} times less processor time here than "
        "seconds there: players in C, on another machine."
    )
    headings = (
        "",
        "source: won-lost-drawn",
        "here",
        "source: s a game",
        "here",
        "source: games/s",
        "here",
        "times",
    )
    return Finding(headings, tuple(rows), found)


EXPERIMENTS: Final = (
    Experiment(
        "seconds",
        "Huang, Lu 2025: the seconds of the three levels",
        "50 games of each pair by turns, with their seconds; the programs are in Python.",
        GAMES,
        _seconds,
    ),
)
