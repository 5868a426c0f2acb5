"""The measurements of a scenario, their limits, and a table of them."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
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
    """The results of a scenario."""

    scenario: str
    broker: str
    positions: int = 0
    seconds: float = 0.0
    """Time from the start of the job to its end."""
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
        """Compare every figure with its limit."""
        assert (self.lost, self.duplicated, self.different) == (0, 0, 0), self
        assert self.twice <= self.in_flight, self
        for recovery in self.recoveries:
            assert recovery.seconds <= recovery.limit * SLACK, recovery


COLUMNS = (
    "fault",
    "broker",
    "faults",
    "lost",
    "duplicated",
    "different",
    "in flight",
    "solved twice",
    "recovery (limit)",
    "job",
)


def table(figures: Iterable[Figures]) -> list[str]:
    """The lines of a table in Markdown."""
    rows = [COLUMNS, tuple("-" * len(name) for name in COLUMNS), *map(_row, figures)]
    return [f"| {' | '.join(row)} |" for row in rows]


def _row(figures: Figures) -> tuple[str, ...]:
    numbers = (figures.faults, figures.lost, figures.duplicated, figures.different)
    recovery = "; ".join(
        f"{each.what} {each.seconds:.1f} s ({each.limit:g} s)" for each in figures.recoveries
    )
    return (
        figures.scenario,
        figures.broker,
        *map(str, numbers),
        str(figures.in_flight),
        str(figures.twice),
        recovery or "-",
        f"{figures.seconds:.0f} s",
    )


def save(path: Path, figures: Iterable[Figures]) -> None:
    """Write figures to a file."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([asdict(each) for each in figures], indent=1) + "\n")


def load(path: Path) -> list[Figures]:
    """Read figures from a file."""
    found = []
    for values in json.loads(path.read_text()):
        recoveries = [Recovery(**each) for each in values.pop("recoveries")]
        found.append(Figures(**values, recoveries=recoveries))
    return found
