"""The counters of a worker process, for its entry in the register and for metrics."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workers.core.run import UnitEnd

if TYPE_CHECKING:
    from workers.core.run import UnitReport


@dataclass(slots=True)
class UnitCounters:
    """Sums over units; thread-safe."""

    units: Counter[UnitEnd] = field(default_factory=Counter)
    """The number of units by how they ended."""
    positions: int = 0
    """Positions in units that are done."""
    nodes: int = 0
    """Positions searched, for all units."""
    seconds: float = 0.0
    """Time spent searching, summed over threads."""
    in_work: int = 0
    """Units that are being worked on, under leases."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """Count the start of a unit."""
        with self._lock:
            self.in_work += 1

    def end(self, report: UnitReport | None, positions: int) -> None:
        """Count the end of a unit.

        Args:
            report: its outcome; None if the outcome could not be written to the database.
            positions: in the unit.
        """
        with self._lock:
            self.in_work -= 1
            if report is not None:
                self._count(report, positions)

    def go_on(self, report: UnitReport, positions: int) -> None:
        """Count the end of a unit and the start of another one, as if there was no time between."""
        with self._lock:
            self._count(report, positions)

    def _count(self, report: UnitReport, positions: int) -> None:
        self.units[report.end] += 1
        self.nodes += report.nodes
        self.seconds += report.seconds
        if report.end is UnitEnd.DONE:
            self.positions += positions
