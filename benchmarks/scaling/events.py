"""A simulation of things that wait for each other, event by event.

A process is a generator that yields the time at which it wants to go on, or None to sleep until
somebody wakes it. A :class:`Server` is something that does one request, or a few, at a time, first
come first served. The length of a request is known when it is made, so its end is known at once:
nobody has to stand in line, and a request costs one event.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator
from itertools import count

Process = Generator[float | None, None, None]
"""Yields when to go on, in seconds of simulated time; None: when woken."""


class Simulation:
    """The clock, and what happens when.

    Attributes:
        now: simulated seconds.
        current: the process that goes on now.
    """

    current: Process

    def __init__(self) -> None:
        self.now = 0.0
        # Processes that are due at the same time go on in the order in which they asked.
        self._order = count()
        self._due: list[tuple[float, int, Process]] = []

    def start(self, process: Process, at: float = 0.0) -> None:
        """Let a process begin, or wake one that sleeps: at a time, at once if that has passed."""
        heapq.heappush(self._due, (max(at, self.now), next(self._order), process))

    def run(self, until: float = float("inf")) -> None:
        """Go on until a time, or until nothing is left that would happen."""
        due = self._due
        while due and due[0][0] <= until:
            self.now, _, self.current = heapq.heappop(due)
            wanted = next(self.current, None)
            if wanted is not None:
                heapq.heappush(due, (max(wanted, self.now), next(self._order), self.current))
        if due:
            self.now = until


class Server:
    """Serves so many requests at a time, first come first served.

    Args:
        simulation: whose clock it goes by.
        places: requests that it serves at a time.
    """

    def __init__(self, simulation: Simulation, places: int = 1) -> None:
        self._simulation = simulation
        self._places = places
        self._free_from = [0.0] * places  # a heap
        self._since = 0.0
        self._busy = 0.0

    def serve(self, seconds: float) -> float:
        """Ask for so many seconds of service now; when it will be done. Nothing is done at once."""
        if seconds <= 0:
            return self._simulation.now
        begin = max(self._simulation.now, self._free_from[0])
        end = begin + seconds
        heapq.heapreplace(self._free_from, end)
        self._busy += seconds
        return end

    def forget(self) -> None:
        """Measure the utilisation from now on."""
        self._since = self._simulation.now
        self._busy = self._still_to_do()

    def utilisation(self) -> float:
        """The share of its places that was busy, on average."""
        elapsed = self._simulation.now - self._since
        if elapsed <= 0:
            return 0.0
        return (self._busy - self._still_to_do()) / (elapsed * self._places)

    def _still_to_do(self) -> float:
        """Seconds of service that were asked for and lie ahead."""
        now = self._simulation.now
        # Within a place, whatever was asked for is done without a break from now on.
        return sum(max(0.0, end - now) for end in self._free_from)
