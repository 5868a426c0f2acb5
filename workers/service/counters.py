"""What a worker process has done since its start, for its entry in the register and for metrics."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workers.core.execution import UnitEnd

if TYPE_CHECKING:
    from workers.core.execution import UnitReport


@dataclass(slots=True)
class UnitCounters:
    """Sums over units; thread-safe."""

    units: Counter[UnitEnd] = field(default_factory=Counter)
    """How many units have come to each end."""
    positions: int = 0
    """In the units that are done."""
    nodes: int = 0
    """Positions searched, for whatever unit."""
    seconds: float = 0.0
    """Time spent searching, summed over threads."""
    in_work: int = 0
    """Units that are being worked on: leases held."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """Count a unit that is begun."""
        with self._lock:
            self.in_work += 1

    def end(self, report: UnitReport | None, positions: int) -> None:
        """Count a unit that was begun.

        Args:
            report: its outcome; None if that could not even be written to the database.
            positions: in the unit.
        """
        with self._lock:
            self.in_work -= 1
            if report is None:
                return
            self.units[report.end] += 1
            self.nodes += report.nodes
            self.seconds += report.seconds
            if report.end is UnitEnd.DONE:
                self.positions += positions
