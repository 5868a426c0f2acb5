"""Lanes: bulk and interactive work have queues of their own, and do not wait for each other.

Two queues work alike in Redis and RabbitMQ, while numeric priorities of messages have opposite
meanings. The version of the engine is part of a queue's name, so that a worker of another version
never gets units that it must not work on.
"""

from __future__ import annotations

from enum import StrEnum

from c4core.version import ENGINE_VERSION
from db.records.jobs import INTERACTIVE_PRIORITY


class Lane(StrEnum):
    """How urgent the units of a job are."""

    INTERACTIVE = "interactive"
    """Somebody waits for the answer: jobs of INTERACTIVE_PRIORITY or more."""
    BULK = "bulk"
    """All others."""

    @property
    def is_interactive(self) -> bool:
        """Whether somebody waits."""
        return self is Lane.INTERACTIVE

    @property
    def queue(self) -> str:
        """The name of the broker's queue."""
        return f"c4.{self}.e{ENGINE_VERSION}"


def lane_of_job(priority: int) -> Lane:
    """The lane of a job's units."""
    return Lane.INTERACTIVE if priority >= INTERACTIVE_PRIORITY else Lane.BULK


def lane_of_queue(name: str) -> Lane:
    """The lane whose doorbells come through a queue."""
    return Lane.INTERACTIVE if name == Lane.INTERACTIVE.queue else Lane.BULK
