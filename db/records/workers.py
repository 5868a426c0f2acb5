"""The entry of a worker process in the register."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker process. The counts begin with its start."""

    name: str
    """No other worker has this name."""
    host: str
    pid: int
    threads: int
    """Units that it works on at a time."""
    table_mb: int
    """Megabytes of its transposition table."""
    version: str
    """The program's version."""
    engine_version: int
    """It gets only units of jobs for this version."""
    queues: tuple[str, ...]
    """The queues that its messages come from, and the name of the consent to programs if it has
    it."""
    units_done: int = 0
    positions_done: int = 0
    nodes: int = 0
    seconds: float = 0.0
    """Solving seconds, summed over its threads."""
    note: str | None = None
    """Why it gets no work; None if it gets some, or if there is none."""
    started_at: float = 0.0
    """Epoch seconds on the database's clock; ignored by :func:`db.registry.beat`."""
    seen_at: float = 0.0
    """When its last heartbeat came, likewise."""
