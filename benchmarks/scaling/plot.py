"""The plot of growth: threads that search against threads that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks import growth
from benchmarks.growth import Line
from benchmarks.scaling import studies
from benchmarks.scaling.studies import MANY_THREADS, STANDARD, mixes

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.scaling.costs import Measured

TICKS: Final = (1, 4, 16, 64, 256, 1_024, 4_096)


def draw(measured: Measured, path: Path) -> None:
    """Write the plot as ``path.svg``."""
    growth.draw(
        path,
        _lines(measured),
        TICKS,
        title="Growth of the service (simulated)",
        across="threads of all workers",
        up="threads that search, on average",
    )


def _lines(measured: Measured) -> list[Line]:
    found = []
    small = mixes(measured)[1]
    for label, mix, of_each in (
        ("units of 1 s, workers of 16 threads", STANDARD, MANY_THREADS),
        ("units of 1 s, workers of 1 thread", STANDARD, 1),
        ("units of 0.1 s, workers of 16 threads", small, MANY_THREADS),
        ("units of 0.1 s, workers of 1 thread", small, 1),
    ):
        outcomes = studies.growth(measured, mix, of_each)
        points = [(threads, threads * outcome.searching) for threads, outcome in outcomes]
        found.append(Line(label, points))
    return found
