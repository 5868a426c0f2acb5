"""The standings of several players: their results, and a rating for each.

The ratings follow the model of Bradley and Terry, with a draw as half a win: they are those under
which the expected points of each player equal the points that it has. Each player also gets one
draw against an average player, which keeps the ratings finite and matters little after some dozens
of games.
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
"""The calculation ends after this many rounds at the latest."""

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
    """In Elo points; the mean over all players is 0."""


def standings(matches: Iterable[tuple[str, str, Tally]]) -> list[Standing]:
    """All players by rating, the best first.

    Args:
        matches: two players, and the results seen by the first; the same two may meet several
            times. Games of a player against itself do not count.
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
    """The strengths of maximum likelihood, with a geometric mean of 1.

    The algorithm is Hunter's ("MM algorithms for generalized Bradley-Terry models", 2004): in each
    round a player's new strength is its points, divided by a sum over its opponents: the games
    against the opponent, divided by the sum of both strengths. No round lowers the likelihood.
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
