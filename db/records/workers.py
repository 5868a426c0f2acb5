"""What a worker process says of itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker process. The counts are those since it was started."""

    name: str
    """No other worker has this name."""
    host: str
    pid: int
    threads: int
    """Units that it works on at a time."""
    table_mb: int
    """Megabytes of memory for what its threads have found."""
    version: str
    """Of the program."""
    engine_version: int
    """It gets only units of jobs for this version."""
    queues: tuple[str, ...]
    """What it takes: the queues that its messages come from, and what else it may do."""
    units_done: int = 0
    positions_done: int = 0
    nodes: int = 0
    seconds: float = 0.0
    """Solving seconds, summed over its threads."""
    note: str | None = None
    """Why it gets no work; None when it does, or when there is none."""
    started_at: float = 0.0
    """Epoch seconds on the database's clock; ignored by :func:`db.registry.beat`."""
    seen_at: float = 0.0
    """When its last heartbeat came, likewise."""
