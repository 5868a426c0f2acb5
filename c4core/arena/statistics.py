"""Statistics of a match: rates, intervals, Elo, and a sequential test.

Draws count for the score and for ratings; the rate of decisive games leaves them out. All of this
assumes independent games. Two deterministic players repeat one game; :func:`distinct_games` counts
the different ones. :mod:`c4core.arena.significance` has the tests of a result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from c4core.arena.game import GameRecord

ROUNDING: Final = 1e-14
"""A sum of probabilities below this counts as 0."""

MAX_STEPS: Final = 60
"""The largest number of Newton steps; in the worst case each of them halves the interval."""

MAX_ELO: Final = 1000.0
"""The greatest Elo difference that can be tested; its expected score is 99.7 %.

From some 2,000 on the expected score is so near to 1 that the test's probabilities are rounding
errors.
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of a match, seen by one player."""

    wins: int
    """Games that the player won."""
    losses: int
    """Games that the player lost."""
    draws: int = 0
    """Drawn games."""

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.losses + self.draws

    @property
    def decisive(self) -> int:
        """Games that were not drawn."""
        return self.wins + self.losses

    @property
    def score(self) -> float | None:
        """Points per game, with half a point for a draw; None without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    def __add__(self, other: Tally) -> Tally:
        """The results of both tallies together."""
        return Tally(self.wins + other.wins, self.losses + other.losses, self.draws + other.draws)

    def reversed(self) -> Tally:
        """The same results, seen by the other player."""
        return Tally(self.losses, self.wins, self.draws)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    """The lower end."""
    high: float
    """The upper end."""


@dataclass(frozen=True, slots=True)
class Elo:
    """A difference in Elo points; infinite where one side has won everything."""

    difference: float
    """How much better the player is than its opponent."""
    low: float
    """The lower end of the confidence interval."""
    high: float
    """The upper end of the confidence interval."""


def decisive_rate(tally: Tally) -> float | None:
    """The share of decisive games won by the side with more wins; None without decisive games."""
    if not tally.decisive:
        return None
    return max(tally.wins, tally.losses) / tally.decisive


def wilson_interval(wins: int, games: int, *, confidence: float = 0.95) -> Interval | None:
    """Wilson's interval of a rate of wins; None without games.

    Args:
        wins: games won.
        games: all games that count.
        confidence: the level of confidence, between 0 and 1.
    """
    if not games:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = wins / games
    scale = 1 + z * z / games
    middle = (rate + z * z / (2 * games)) / scale
    half = z / scale * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))


def elo(tally: Tally, *, confidence: float = 0.95) -> Elo | None:
    """The Elo difference of a score, with its confidence interval; None without games.

    The interval follows from the variance of the results (1, 1/2, 0) by the normal distribution; it
    means little for fewer than some dozens of games.

    Args:
        tally: results of the player.
        confidence: the interval's level of confidence, between 0 and 1.
    """
    mean = tally.score
    if mean is None:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    error = z * math.sqrt(_variance(tally.wins, tally.draws, tally.losses) / tally.games)
    return Elo(elo_of(mean), elo_of(mean - error), elo_of(mean + error))


def elo_of(score: float) -> float:
    """The Elo difference of a score; infinite at 0 and at 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


def score_of(difference: float) -> float:
    """The score that is expected at an Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of two hypotheses about an Elo difference: stop as soon as it is decided.

    Raises:
        ValueError: ``elo0`` is not below ``elo1``, one of them is not between -:data:`MAX_ELO` and
            :data:`MAX_ELO`, or an error rate is not between 0 and 1/2.
    """

    elo0: float = 0.0
    """H0: the player is better by this much."""
    elo1: float = 20.0
    """H1: the player is better by this much."""
    alpha: float = 0.05
    """How often H1 may be accepted although H0 is true."""
    beta: float = 0.05
    """How often H0 may be accepted although H1 is true."""

    def __post_init__(self) -> None:
        """Check the hypotheses."""
        for name in ("elo0", "elo1"):
            if not abs(getattr(self, name)) <= MAX_ELO:  # refuses NaN, too
                raise ValueError(
                    f"{name} {getattr(self, name):g} must be between {-MAX_ELO:g} and {MAX_ELO:g}"
                )
        if not self.elo0 < self.elo1:
            raise ValueError(
                f"{self.elo0:g}..{self.elo1:g}: the first Elo difference must be below the second"
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 1 / 2:
                raise ValueError(f"{name} {getattr(self, name):g} must be between 0 and 0.5")

    @property
    def lower(self) -> float:
        """H0 is accepted at this log-likelihood ratio or below."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at this log-likelihood ratio or above."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, tally: Tally) -> float:
        """The log-likelihood ratio of H1 to H0.

        A hypothesis fixes only the expected score. Of all probabilities of a win, a draw and a loss
        with this score, those of maximum likelihood are taken: the generalised test of Van den
        Bergh, "Comments on normalized Elo", 2020, which engine testers use. A result that has not
        occurred yet counts as a thousandth of a game, because it may still occur.
        """
        if not tally.games:
            return 0.0
        counts = [max(float(number), 1e-3) for number in (tally.wins, tally.draws, tally.losses)]
        games = sum(counts)
        shares = [count / games for count in counts]
        chances0 = _likeliest(shares, score_of(self.elo0))
        chances1 = _likeliest(shares, score_of(self.elo1))
        return sum(
            count * math.log(chance1 / chance0)
            for count, chance0, chance1 in zip(counts, chances0, chances1, strict=True)
        )

    def verdict(self, tally: Tally) -> Literal["H0", "H1"] | None:
        """The hypothesis that is accepted, or None while more games are needed."""
        ratio = self.ratio(tally)
        if ratio <= self.lower:
            return "H0"
        return "H1" if ratio >= self.upper else None


def distinct_games(records: Iterable[GameRecord]) -> int:
    """The number of games that differ in their moves or their start position."""
    return len({(record.start, record.columns) for record in records})


def _likeliest(shares: Sequence[float], score: float) -> list[float]:
    """The probabilities of a win, a draw and a loss with a given score, of maximum likelihood.

    By the Lagrange condition they are ``share / (1 + t * (points - score))``, with the only ``t``
    that gives the score. The sum below falls as t grows, so it shows on which side of t the
    solution lies; a Newton step that would leave the known interval is replaced by its middle.
    """
    away = [points - score for points in (1.0, 0.5, 0.0)]
    low, high, t = -1 / away[0], -1 / away[2], 0.0
    for _ in range(MAX_STEPS):
        terms = [each / (1 + t * each) for each in away]
        excess = sum(share * term for share, term in zip(shares, terms, strict=True))
        if abs(excess) < ROUNDING:
            break
        low, high = (t, high) if excess > 0 else (low, t)
        slope = sum(share * term * term for share, term in zip(shares, terms, strict=True))
        step = excess / slope
        t = t + step if low < t + step < high else (low + high) / 2
    return [share / (1 + t * each) for share, each in zip(shares, away, strict=True)]


def _variance(wins: float, draws: float, losses: float) -> float:
    """The variance of a single result."""
    games = wins + draws + losses
    mean = (wins + draws / 2) / games
    squares = wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2
    return squares / games
