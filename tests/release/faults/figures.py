"""The measurements of a scenario, their limits, and a table of them."""

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

SLACK: Final = float(os.environ.get("C4_FAULTS_SLACK", "1"))
"""Factor for time limits: more than 1 on a machine that is shared.

The numbers of lost, duplicated and different results must be 0 on any machine.
"""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The time of a recovery; the longest one, if it was measured several times."""

    what: str
    seconds: float
    limit: float


@dataclass(slots=True)
class Figures:
    scenario: str
    broker: str
    positions: int = 0
    seconds: float = 0.0
    faults: int = 0
    lost: int = 0
    """Lines of the input without an answer."""
    duplicated: int = 0
    """Number of additional answers, rows and completions of a unit."""
    different: int = 0
    """Answers that differ from the undisturbed run."""
    twice: int = 0
    """Claims of units after the first one, except claims of released units."""
    in_flight: int = 0
    """Units in progress at the disturbed processes, summed over the faults."""
    restarts: int = 0
    """Worker processes that ended without a fault."""
    recoveries: list[Recovery] = field(default_factory=list)

    def recovered(self, what: str, seconds: Iterable[float], limit: float) -> None:
        """Record recoveries of one kind; the longest counts."""
        self.recoveries.append(Recovery(what, max(seconds, default=float("inf")), limit))

    def check(self) -> None:
        assert (self.lost, self.duplicated, self.different) == (0, 0, 0), self
        assert self.twice <= self.in_flight, self
        for recovery in self.recoveries:
            assert recovery.seconds <= recovery.limit * SLACK, recovery


COLUMNS = (
    "fault", "broker", "faults", "lost", "duplicated", "different", "in flight", "solved twice",
    "recovery (limit)", "job",
)  # fmt: skip


def table(figures: Sequence[Figures]) -> str:
    """A line about the machine and the jobs, and a table in Markdown."""
    where = (
        f"On {os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, "
        f"jobs of {figures[0].positions:,} positions:"
    )
    rows = [COLUMNS, ["-" * len(name) for name in COLUMNS], *map(_row, figures)]
    return "\n".join([where, "", *(f"| {' | '.join(row)} |" for row in rows)])


def _row(figures: Figures) -> list[str]:
    numbers = (figures.faults, figures.lost, figures.duplicated, figures.different)
    numbers += (figures.in_flight, figures.twice)
    recovery = "; ".join(
        f"{each.what} {each.seconds:.1f} s ({each.limit:g} s)" for each in figures.recoveries
    )
    time = f"{figures.seconds:.0f} s"
    return [figures.scenario, figures.broker, *map(str, numbers), recovery or "-", time]
