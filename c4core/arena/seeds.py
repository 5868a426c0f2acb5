"""Seeds of matches, games and seats: each depends only on a parent seed and on a name or number.

So a game is the same on every worker and in every order, and the random draws of one game are
independent of those of another.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from c4core.position import Side


def match_seed(tournament_seed: int, player_a: str, player_b: str) -> int:
    """The seed of a match of a tournament. It does not depend on which other players take part.

    Args:
        tournament_seed: any whole number.
        player_a: the description of one player, with every parameter.
        player_b: the description of the other one.
    """
    return _derived(f"match {tournament_seed} {player_a} {player_b}")


def game_seed(match_seed: int, number: int) -> int:
    """The seed of a game of a match.

    Args:
        match_seed: any whole number.
        number: the game's number in the match.
    """
    return _derived(f"game {match_seed} {number}")


def seat_seed(game_seed: int, side: Side) -> int:
    """The seed of a player in a game."""
    return _derived(f"seat {game_seed} {side}")


def _derived(text: str) -> int:
    """A 64-bit hash of a text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
