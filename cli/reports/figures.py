"""Numbers of reports as text: shares, p-values, ratings, times."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from cli.output.render import duration

if TYPE_CHECKING:
    from c4core.arena.statistics import Elo, Interval, Tally
    from db.records.matches import Seats

NOTHING: Final = "-"
LEAST_P: Final = 1e-6
"""A smaller p-value is shown as "less than" this."""

MAX_DIGITS: Final = 3

FEW_SECONDS: Final = 1e-5
"""Shorter times need a digit after the decimal point."""

_SEATS: Final = {
    "fixed": "A moves first",
    "alternate": "they take turns to move first",
    "random": "lots are drawn for the first move",
}


def seats_text(seats: Seats) -> str:
    """The first mover of a match, in words."""
    return _SEATS[seats]


def percent(share: float | None) -> str:
    """Format a share: ``61.2%``."""
    return NOTHING if share is None else f"{100 * share:.1f}%"


def percent_interval(interval: Interval) -> str:
    """Format an interval of shares: ``79.8 to 92.9%``."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}%"


def chance(p: float | None) -> str:
    """Format a p-value with two significant digits: ``0.027``, ``0.000044``, ``< 0.000001``."""
    if p is None:
        return NOTHING
    if p < LEAST_P:
        return f"< {LEAST_P:.6f}"
    digits = max(MAX_DIGITS, 1 - math.floor(math.log10(p)))
    return f"{p:.{digits}f}"


def elo(value: Elo | None) -> str:
    """Format an Elo difference with its interval: ``+330 (+250 to +433)``."""
    if value is None:
        return NOTHING
    if math.isinf(value.difference):
        return f"{signed(value.difference)} (one side has won everything)"
    return f"{signed(value.difference)} ({signed(value.low)} to {signed(value.high)})"


def signed(difference: float) -> str:
    """Format an Elo difference: ``+330``, ``-12``, ``0``, ``+inf``."""
    if math.isinf(difference):
        return "+inf" if difference > 0 else "-inf"
    return f"{round(difference):+d}" if round(difference) else "0"


def tally(results: Tally) -> str:
    """Format wins, losses and draws: ``12-86-2``."""
    return f"{results.wins}-{results.losses}-{results.draws}"


def mean(value: float | None, digits: int = 2) -> str:
    """Format a mean."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def span(seconds: float | None) -> str:
    """Format a time, which may be less than a microsecond."""
    if not seconds:
        return NOTHING
    if seconds < FEW_SECONDS:
        return f"{seconds * 1e6:.2g} {duration(0).partition(' ')[2]}"
    return duration(seconds)


def rate(value: float | None) -> str:
    """Format a rate with about three digits."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004
