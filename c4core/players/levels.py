"""Levels: names for players, from which people choose; each is stronger than the one before."""

from __future__ import annotations

from typing import Final

LEVELS: Final = {
    "easy": "random",
    "medium": "minimax-windows:depth=3",
    "hard": "mcts-uct:iterations=10000",
}
"""The names of Huang and Lu (2025), whose hard level, ``montecarlo-flat:simulations=500``,
is no stronger than their medium one. docs/players.md has the matches."""
