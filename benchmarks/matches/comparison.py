"""A source's result and ours of the same match: how far apart they are, and by what chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from c4core.arena.statistics import is_significant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.arena.statistics import Tally

Leader = Literal["a", "b"]


def standard_errors(one: Tally, other: Tally) -> float:
    """The difference of the scores of two samples, in standard errors of the difference.

    Both samples are assumed to come from one distribution. 0 if all results are equal.
    """
    together = one + other
    mean = together.score
    if mean is None or one.score is None or other.score is None:
        return 0.0
    squares = (
        together.wins * (1 - mean) ** 2
        + together.draws * (0.5 - mean) ** 2
        + together.losses * mean**2
    )
    variance = squares / together.games * (1 / one.games + 1 / other.games)
    return (other.score - one.score) / math.sqrt(variance) if variance else 0.0


def difference_p(one: Tally, other: Tally) -> float:
    """The chance that two samples of one distribution have scores at least so far apart.

    It is exact, and two-sided: all ways are counted in which the games of both together can be
    divided into two samples of these sizes (a permutation test). It holds for small samples and
    scores near 0 or 1 as well, for which standard errors do not.

    Returns:
        A probability; 1 if a sample is empty, or all results are equal.
    """
    together = one + other
    wins = np.arange(min(together.wins, one.games) + 1)[:, None]
    draws = np.arange(min(together.draws, one.games) + 1)[None, :]
    losses = one.games - wins - draws
    possible = (losses >= 0) & (losses <= together.losses)
    # Twice the points of the first sample, as far from what is expected; whole numbers.
    expected = one.games * (2 * together.wins + together.draws)
    away = np.abs(together.games * (2 * wins + draws) - expected)
    as_far = away >= abs(together.games * (2 * one.wins + one.draws) - expected)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, together.games + 1)))])
    chances = np.exp(
        _ways(logs, together.wins, wins)
        + _ways(logs, together.draws, draws)
        + _ways(logs, together.losses, np.clip(losses, 0, together.losses))
        - _ways(logs, together.games, np.array(one.games))
    )
    return min(1.0, float(chances[possible & as_far].sum()))


def leader(results: Tally) -> Leader | None:
    """The side that is significantly better, by the two-sided P; None if neither is."""
    if not is_significant(results):
        return None
    return "a" if results.wins > results.losses else "b"


def _ways(logs: NDArray[np.float64], of: int, chosen: NDArray[Any]) -> NDArray[np.float64]:
    """The logarithm of the binomial coefficient, by a table of logarithms of factorials."""
    ways: NDArray[np.float64] = logs[of] - logs[chosen] - logs[of - chosen]
    return ways
