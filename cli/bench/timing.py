"""Times of repeated runs: processor time and wall-clock time, median and range."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_ALMOST = 0.9995
"""The smallest number that three digits round up to 1."""


@dataclass(frozen=True, slots=True)
class Lap:
    """The duration of one run, in seconds."""

    cpu: float
    """Processor time of the whole process: all its threads together."""
    wall: float
    """Wall-clock time."""

    def __add__(self, other: Lap) -> Lap:
        """The sum of two durations."""
        return Lap(self.cpu + other.cpu, self.wall + other.wall)

    def __sub__(self, other: Lap) -> Lap:
        """The difference of two durations; below zero where noise is larger than it."""
        return Lap(self.cpu - other.cpu, self.wall - other.wall)

    def __truediv__(self, parts: int) -> Lap:
        """The share of one of ``parts`` equal parts."""
        return Lap(self.cpu / parts, self.wall / parts)


NO_TIME = Lap(0.0, 0.0)


def lap(work: Callable[[], T]) -> tuple[T, Lap]:
    """Do some work once. Returns its result and its duration.

    The clocks themselves cost about a microsecond, so work much shorter than a millisecond is to be
    repeated inside.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, Lap(time.process_time() - cpu, time.perf_counter() - wall)


@dataclass(frozen=True, slots=True)
class Spread:
    """The median and the range of repeated measurements."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))


def time_text(seconds: float) -> str:
    """A time with three digits and a unit: ``34.2 µs``. Nothing at all is a dash."""
    if seconds <= 0:
        return "-"
    size, unit = next((entry for entry in UNITS if seconds >= entry[0] * _ALMOST), UNITS[-1])
    return f"{three_digits(seconds / size)} {unit}"


def three_digits(number: float) -> str:
    """A positive number with two decimals, one, or none: ``1.23``, ``12.3``, ``1,234``."""
    for decimals, limit in ((2, 9.995), (1, 99.95)):
        if number < limit:
            return f"{number:.{decimals}f}"
    return f"{number:,.0f}"
