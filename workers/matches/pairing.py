"""The pairs of a tournament."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Player = TypeVar("Player")


def pairs_of(
    players: Sequence[Player],
    against: Sequence[Player] = (),
    *,
    both_ways: bool = False,
    themselves: bool = False,
) -> list[tuple[Player, Player]]:
    """Every pair of players that meets, in order.

    Args:
        players: all players, or those who meet the players of ``against``.
        against: their opponents; empty if everybody meets everybody.
        both_ways: every two players meet twice, the second time with exchanged roles.
        themselves: every player also meets itself.
    """
    if against:
        found = list(product(players, against))
        if both_ways:
            found += [(other, player) for player, other in found if player != other]
        return found
    if both_ways:
        mirror = [(player, player) for player in players] if themselves else []
        return [*mirror, *permutations(players, 2)]
    return list(
        combinations_with_replacement(players, 2) if themselves else combinations(players, 2)
    )
