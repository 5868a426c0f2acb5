"""What the server has answered, counted for its metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final

BUCKETS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
)
"""Seconds."""


class Counters:
    """Answers by their resource and status, and how long they took. For the event loop only.

    Attributes:
        answers: by path of the resource, method, status.
        durations: by path of the resource: answers in each of ``BUCKETS``, and beyond.
        seconds: by path of the resource, all together.
    """

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str, int]] = Counter()
        self.durations: dict[str, list[int]] = {}
        self.seconds: Counter[str] = Counter()

    def note(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count an answer.

        Args:
            path: of the resource, with its parameters' names.
            method: one that the resource knows.
            status: of the answer.
            seconds: from the request's head to the end of the answer.
        """
        self.answers[path, method, status] += 1
        durations = self.durations.get(path)
        if durations is None:
            durations = self.durations[path] = [0] * (len(BUCKETS) + 1)
        durations[bisect_left(BUCKETS, seconds)] += 1
        self.seconds[path] += seconds  # type: ignore[assignment] # a sum of floats
