"""The standings after several players have met: results, and one rating for each.

The ratings are those of Bradley and Terry, a draw being half a win: under them everybody is
expected to have just the points that it has. Everybody is also given one draw against an average
player, which keeps the ratings finite and matters little after some dozens of games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.arena.statistics import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

ELO_UNIT: Final = 400 / math.log(10)
"""Elo points by which the odds grow e-fold."""

ROUNDS: Final = 10_000
"""The calculation ends after so many rounds at the latest."""

CLOSE: Final = 1e-9
"""The calculation ends when no strength changes by more than this share."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place in the standings."""

    player: str
    """Its description."""
    results: Tally
    """Its results against the others."""
    rating: float
    """In Elo points; all players together have 0 on average."""


def standings(matches: Iterable[tuple[str, str, Tally]]) -> list[Standing]:
    """Everybody by rating, the best first.

    Args:
        matches: two players, and the results seen by the first; the same two may meet several
            times. Games of a player against itself say nothing, and do not count.
    """
    totals: dict[str, Tally] = {}
    points: dict[str, float] = {}
    games: dict[tuple[str, str], int] = {}
    for first, second, tally in matches:
        for player, seen in ((first, tally), (second, tally.reversed())):
            before = totals.setdefault(player, Tally(0, 0))
            if first != second:
                totals[player] = before + seen
                points[player] = points.get(player, 0.0) + seen.wins + seen.draws / 2
        if first != second:
            pair = (min(first, second), max(first, second))
            games[pair] = games.get(pair, 0) + tally.games
    strengths = _strengths(list(totals), points, games)
    found = [
        Standing(player, results, ELO_UNIT * math.log(strengths[player]))
        for player, results in totals.items()
    ]
    return sorted(found, key=lambda standing: -standing.rating)


def _strengths(
    players: list[str], points: dict[str, float], games: dict[tuple[str, str], int]
) -> dict[str, float]:
    """The strengths that make the points likeliest; their geometric mean is 1.

    Hunter's minorization: in each round a player's strength becomes its points, divided by the sum
    of its games with each opponent over both their strengths. Every round explains the points
    better.
    """
    opponents: dict[str, list[tuple[str, int]]] = {player: [] for player in players}
    for (first, second), number in games.items():
        opponents[first].append((second, number))
        opponents[second].append((first, number))
    strengths = dict.fromkeys(players, 1.0)
    for _ in range(ROUNDS):
        better = {
            player: (points.get(player, 0.0) + 0.5)
            / (
                1 / (strengths[player] + 1)
                + sum(
                    number / (strengths[player] + strengths[other])
                    for other, number in opponents[player]
                )
            )
            for player in players
        }
        change = max((abs(better[name] / strengths[name] - 1) for name in players), default=0.0)
        strengths = better
        if change < CLOSE:
            break
    mean = sum(map(math.log, strengths.values())) / max(len(strengths), 1)
    return {player: strength / math.exp(mean) for player, strength in strengths.items()}
