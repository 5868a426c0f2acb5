"""Statistics of matches: rates, intervals, Elo, a sequential test, significance, and standings.

Draws count for the score and for ratings; the rate of decisive games leaves them out. All of this
assumes independent games. Two deterministic players repeat one game. :func:`distinct_games` counts
the different games, and :func:`is_repetitive` checks whether games repeat too often.

Significance. Two equal players each win a decisive game with probability 1/2. The **one-sided** P
is the probability that a side *named before the match* wins at least as many games as the leader
did. If the side is named after the match, because it won more games, both sides count. A result is
therefore called significant by the **two-sided** P. By the one-sided P, 6 to 10 % of long matches
between equals would be called significant at 0.05. The probability 1/2 assumes that the first
player is drawn at random or alternates. If one player always moves first, P measures the player and
its first move together.

Standings. The ratings of several players follow the model of Bradley and Terry, with a draw as half
a win. The ratings are such that the expected points of each player equal its actual points. Each
player also gets one draw against an average player. This keeps the ratings finite, and matters
little after a few dozen games.
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
"""The maximum number of Newton steps. In the worst case, each step halves the interval."""

MAX_ELO: Final = 1000.0
"""The greatest Elo difference that can be tested; its expected score is 99.7 %.

From about 2,000 on, the expected score is so near to 1 that the probabilities are only rounding
errors.
"""

SIGNIFICANT: Final = 0.05
"""A result is significant if its two-sided P is at most this."""

EXACT_GAMES: Final = 4000
"""Up to this many games, the first term of the binomial test is calculated in whole numbers."""

NEGLIGIBLE: Final = 1e-18
"""A sum ends at the first term that is smaller than this share of it."""

ENOUGH_DISTINCT: Final = 0.9
"""The smallest share of different games at which repetitions do not distort a test."""

ELO_UNIT: Final = 400 / math.log(10)
"""The Elo difference that multiplies the odds by e."""

RATING_ROUNDS: Final = 10_000
"""The maximum number of rounds in the calculation of ratings."""

RATING_CLOSE: Final = 1e-9
"""The calculation of ratings ends when no strength changes by more than this ratio."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of a match, from one player's point of view."""

    wins: int
    """Games that the player won."""
    losses: int
    """Games that the player lost."""
    draws: int = 0
    """Drawn games."""

    @property
    def games(self) -> int:
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
        """Return the same results from the other player's point of view."""
        return Tally(self.losses, self.wins, self.draws)


_SPREAD: Final = NormalDist().inv_cdf(0.975)
"""Standard deviations on either side of a confidence interval of 95 %."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of 95 %."""

    low: float
    """The lower end."""
    high: float
    """The upper end."""


@dataclass(frozen=True, slots=True)
class Elo:
    """A difference in Elo points; infinite if one side has won everything."""

    difference: float
    """The player's lead over its opponent."""
    low: float
    """The lower end of the confidence interval."""
    high: float
    """The upper end of the confidence interval."""


def decisive_rate(tally: Tally) -> float | None:
    """Return the share of decisive games won by the leader; None without decisive games."""
    if not tally.decisive:
        return None
    return max(tally.wins, tally.losses) / tally.decisive


def wilson_interval(wins: int, games: int) -> Interval | None:
    """Return Wilson's interval for a rate of wins; None without games."""
    if not games:
        return None
    z = _SPREAD
    rate = wins / games
    scale = 1 + z * z / games
    middle = (rate + z * z / (2 * games)) / scale
    half = z / scale * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))


def elo(tally: Tally) -> Elo | None:
    """Return the Elo difference of a score, with its confidence interval; None without games.

    The interval follows from the variance of the results (1, 1/2, 0) by the normal distribution. It
    means little for fewer than a few dozen games.
    """
    mean = tally.score
    if mean is None:
        return None
    error = _SPREAD * math.sqrt(_variance(tally.wins, tally.draws, tally.losses) / tally.games)
    return Elo(elo_of(mean), elo_of(mean - error), elo_of(mean + error))


def elo_of(score: float) -> float:
    """Return the Elo difference of a score; infinite at 0 and at 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)


def score_of(difference: float) -> float:
    """Return the expected score at an Elo difference."""
    return 1 / (1 + 10 ** (-difference / 400))


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of two hypotheses about an Elo difference. It stops when decided.

    Raises:
        ValueError: ``elo0`` is not below ``elo1``, one of them is not between -:data:`MAX_ELO` and
            :data:`MAX_ELO`, or an error rate is not between 0 and 1/2.
    """

    elo0: float = 0.0
    """The Elo difference under H0."""
    elo1: float = 20.0
    """The Elo difference under H1."""
    alpha: float = 0.05
    """The rate at which H1 may be accepted although H0 is true."""
    beta: float = 0.05
    """The rate at which H0 may be accepted although H1 is true."""

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            if not abs(getattr(self, name)) <= MAX_ELO:  # refuses NaN, too
                raise ValueError(
                    f"{name} {getattr(self, name):g} must be between {-MAX_ELO:g} and {MAX_ELO:g}"
                )
        if not self.elo0 < self.elo1:
            raise ValueError(
                f"{self.elo0:g} and {self.elo1:g}: "
                "the first Elo difference must be below the second"
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
        """Return the log-likelihood ratio of H1 to H0.

        A hypothesis fixes only the expected score. The probabilities of a win, a draw and a loss
        are the maximum-likelihood ones with this score. This is the generalised test of Van den
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
        """Return the accepted hypothesis, or None while more games are needed."""
        ratio = self.ratio(tally)
        if ratio <= self.lower:
            return "H0"
        return "H1" if ratio >= self.upper else None


def distinct_games(records: Iterable[GameRecord]) -> int:
    """Count the games that differ in their moves or their start position."""
    return len({(record.start, record.columns) for record in records})


def one_sided_p(tally: Tally) -> float | None:
    """Return the chance that a side named beforehand wins at least as many games, among equals.

    It is the sum of C(n, k) / 2^n over k >= x, for n decisive games of which the leader won x.
    Williams 2022 prints this P.

    Returns:
        A probability of at least 1/2^n; None without decisive games.
    """
    games, wins = tally.decisive, max(tally.wins, tally.losses)
    if not games:
        return None
    term = total = _binomial_term(games, wins)
    for won in range(wins, games):
        term *= (games - won) / (won + 1)
        total += term
        if term < NEGLIGIBLE * total:
            break
    return min(total, 1.0)


def two_sided_p(tally: Tally) -> float | None:
    """Return the chance that either of two equal sides wins at least as many games.

    This is the exact binomial test. The distribution is symmetric, so P is twice the one-sided P,
    but at most 1.

    Returns:
        A probability; None without decisive games.
    """
    p = one_sided_p(tally)
    return None if p is None else min(2 * p, 1.0)


def is_significant(tally: Tally) -> bool:
    """Whether the two-sided P is at most 0.05, as in at most 5 % of matches between equals."""
    p = two_sided_p(tally)
    return p is not None and p <= SIGNIFICANT


def holm(chances: Sequence[float]) -> list[float]:
    """Correct the P of several tests for their number (Holm 1979).

    The smallest of m P-values is multiplied by m, the next one by m - 1, and so on. None becomes
    smaller than the one before it, or larger than 1. Tests whose corrected P is at most 0.05 are
    significant together: the chance that any of them is a false alarm is at most 5 %. The tests may
    depend on each other.

    Args:
        chances: the P of each test.

    Returns:
        The corrected P of each test, in the same order.
    """
    corrected = [0.0] * len(chances)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[index]))
        corrected[index] = largest
    return corrected


def is_repetitive(distinct: int, games: int) -> bool:
    """Whether games repeat so often that every P is too small.

    Args:
        distinct: the number of different games.
        games: the number of all games.
    """
    return distinct < ENOUGH_DISTINCT * games


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place in the standings."""

    player: str
    """The player's description."""
    results: Tally
    """The player's results against the others."""
    rating: float
    """The rating in Elo points; the mean over all players is 0."""


def standings(matches: Iterable[tuple[str, str, Tally]]) -> list[Standing]:
    """Return all players by rating, the best first.

    Args:
        matches: two players and the first one's results. The same two may meet several times. Games
            of a player against itself do not count.
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


def _likeliest(shares: Sequence[float], score: float) -> list[float]:
    """Return the maximum-likelihood probabilities of a win, a draw and a loss with a given score.

    By the Lagrange condition they are ``share / (1 + t * (points - score))``, with the only ``t``
    that gives the score. The sum below falls as t grows, so its sign shows on which side of t the
    solution is. A Newton step that would leave the known interval is replaced by its middle.
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
    games = wins + draws + losses
    mean = (wins + draws / 2) / games
    squares = wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2
    return squares / games


def _binomial_term(games: int, wins: int) -> float:
    """C(n, x) / 2^n."""
    if games <= EXACT_GAMES:
        # Both numbers may be beyond the range of floats, so they are cut to 64 bits first.
        ways = math.comb(games, wins)
        shift = max(ways.bit_length() - 64, 0)
        return math.ldexp(ways >> shift, shift - games)
    logarithm = math.lgamma(games + 1) - math.lgamma(wins + 1) - math.lgamma(games - wins + 1)
    return math.exp(logarithm - games * math.log(2))


def _strengths(
    players: list[str], points: dict[str, float], games: dict[tuple[str, str], int]
) -> dict[str, float]:
    """Return the maximum-likelihood strengths, with a geometric mean of 1.

    The algorithm is Hunter's ("MM algorithms for generalized Bradley-Terry models", 2004). In each
    round, a player's new strength is its points divided by a sum over its opponents. Each term is
    the games against the opponent, divided by the sum of both strengths. No round lowers the
    likelihood.
    """
    opponents: dict[str, list[tuple[str, int]]] = {player: [] for player in players}
    for (first, second), number in games.items():
        opponents[first].append((second, number))
        opponents[second].append((first, number))
    strengths = dict.fromkeys(players, 1.0)
    for _ in range(RATING_ROUNDS):
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
        if change < RATING_CLOSE:
            break
    mean = sum(map(math.log, strengths.values())) / max(len(strengths), 1)
    return {player: strength / math.exp(mean) for player, strength in strengths.items()}
