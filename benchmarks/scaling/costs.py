"""The measured costs of units and messages, and their JSON file.

::

    {"format": 2, "date": "2026-01-31", "command": "...",
     "machine": {"processor": "...", "cores": 2, "system": "..."},
     "versions": {"C4": "...", "PostgreSQL": "...", ...},
     "units": {"analyze": {"claim": {"each": {"server": 1e-3, ..}, "position": {..}}, ...}, ...},
     "sizes": {"analyze": {...}, ...}, "shared": {"ring": {...}, ...},
     "connections": {"1": 2, ...}, "runs": [...], "book_seconds": {"12": 3e-3, ...}}
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from benchmarks.record import read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a transaction or a message, in seconds."""

    server: float = 0.0
    """Processor time of the server."""
    client: float = 0.0
    """Processor time of the client: Python code, of which a process runs one thread at a time."""
    wait: float = 0.0
    """The rest of the time until the answer comes: the disk and the local network."""
    round_trips: float = 0.0
    """Round trips: how often the client waits for an answer. A distant server makes each longer."""

    def __add__(self, other: Cost) -> Cost:
        """The cost of both together."""
        return Cost(
            self.server + other.server,
            self.client + other.client,
            self.wait + other.wait,
            self.round_trips + other.round_trips,
        )

    def __sub__(self, other: Cost) -> Cost:
        """The cost without the other; no part becomes negative by noise."""
        return Cost(
            max(0.0, self.server - other.server),
            max(0.0, self.client - other.client),
            max(0.0, self.wait - other.wait),
            max(0.0, self.round_trips - other.round_trips),
        )

    def __mul__(self, times: float) -> Cost:
        """The cost of this many."""
        return Cost(
            self.server * times, self.client * times, self.wait * times, self.round_trips * times
        )


@dataclass(frozen=True, slots=True)
class UnitCost:
    """The cost of a step of a unit, which depends on the number of positions."""

    each: Cost = Cost()
    """The cost for the unit itself."""
    position: Cost = Cost()
    """The cost for each position."""

    def of(self, positions: float) -> Cost:
        """The cost for a unit with this many positions."""
        return self.each + self.position * positions

    @classmethod
    def through(cls, few: Cost, many: Cost, *, at: tuple[int, int]) -> UnitCost:
        """The line through the costs of a unit of few and a unit of many positions."""
        position = (many - few) * (1 / (at[1] - at[0]))
        return cls(few - position * at[0], position)


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """The costs of all steps of a unit of some kind except its search."""

    plan: UnitCost = UnitCost()
    """Reading its lines, writing it into the database."""
    claim: UnitCost = UnitCost()
    """Claiming it by its number."""
    solve: UnitCost = UnitCost()
    """Reading its payload, looking up known positions, making its result; without the search."""
    complete: UnitCost = UnitCost()
    """Storing the results, marking it done and announcing the next unit, in one transaction."""


@dataclass(frozen=True, slots=True)
class SharedCosts:
    """The costs that do not depend on the units: messages, and duties beside the units."""

    ring: Cost = Cost()
    """A message to the broker."""
    take: Cost = Cost()
    """A message from the broker to the task, and its acknowledgement."""
    heartbeat: Cost = Cost()
    """Prolonging a lease."""
    turn: Cost = Cost()
    """Trying to acquire the sweeping duty in vain."""
    sweep: Cost = Cost()
    """Sweeping when nothing was lost."""
    beat: Cost = Cost()
    """Renewing a worker's entry."""
    poll: Cost = Cost()
    """A second in which a worker waits for messages: the costs of the broker and of its own Python,
    without the duties above."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of everything except the search."""

    unit: UnitCosts = UnitCosts()
    shared: SharedCosts = SharedCosts()


@dataclass(frozen=True, slots=True)
class Taken:
    """The processor seconds of a unit of a job, by process."""

    worker: float
    """Processor seconds of the workers, for search and Python."""
    database: float
    broker: float

    @property
    def together(self) -> float:
        """The sum over all processes."""
        return self.worker + self.database + self.broker


@dataclass(frozen=True, slots=True)
class RealRun:
    """A job by real workers, and what the measured costs predict for it."""

    workers: int
    threads: int
    """Threads of each worker."""
    units: int
    positions: int
    """Positions of each unit."""
    unit_seconds: float
    """The mean seconds of a unit's search."""
    load: float
    """The mean number of other processes that were ready to run, for each processor."""
    units_per_second: float
    """Units that all workers together completed in a second."""
    real: Taken
    foreseen: Taken


@dataclass(frozen=True, slots=True)
class Sizes:
    """The bytes that units take in the database."""

    unit: float = 0.0
    """A unit's row without its positions, indexes included."""
    position: float = 0.0
    """A position's share of its unit's row."""
    evaluation: float = 0.0
    """A position's row of the evaluations, indexes included."""
    log_unit: float = 0.0
    """Bytes written to the write-ahead log for a unit, from planning to completion."""
    log_position: float = 0.0
    """Bytes written to the write-ahead log for each of its positions."""


@dataclass(frozen=True, slots=True)
class Measured:
    """All measurements, and the machine and versions behind them."""

    date: str
    command: str
    machine: dict[str, str | int]
    versions: dict[str, str]
    units: dict[str, UnitCosts]
    """The costs of a unit, by the kind of its job."""
    sizes: dict[str, Sizes]
    """Likewise."""
    shared: SharedCosts
    connections: dict[int, int]
    """A worker's connections to the database, by its number of threads."""
    runs: list[RealRun] = field(default_factory=list)
    book_seconds: dict[int, float] = field(default_factory=dict)
    """Seconds of the search of a position of a book, by ply; measured elsewhere (docs/books.md)."""

    def costs(self, kind: str) -> Costs:
        """The costs of jobs of a kind."""
        return Costs(self.units[kind], self.shared)

    def write(self, path: Path) -> None:
        """Write the file."""
        write_json(path, {"format": FORMAT, **_rounded(asdict(self))})

    @classmethod
    def read(cls, path: Path) -> Measured:
        """Read a file that :meth:`write` made.

        Raises:
            ValueError: the file has another content.
        """
        entries = read_json(path, what="measured costs", form=FORMAT)
        del entries["format"]
        try:
            return cls(**entries | _read(entries))
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path}: not what `measure` writes: {error}") from None


def _read(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries that become objects."""
    return {
        "units": {
            kind: UnitCosts(**{name: _read_unit_cost(cost) for name, cost in costs.items()})
            for kind, costs in entries["units"].items()
        },
        "sizes": {kind: Sizes(**sizes) for kind, sizes in entries["sizes"].items()},
        "shared": SharedCosts(**{name: Cost(**cost) for name, cost in entries["shared"].items()}),
        "connections": {int(threads): n for threads, n in entries["connections"].items()},
        "runs": [
            RealRun(**run | {name: Taken(**run[name]) for name in ("real", "foreseen")})
            for run in entries["runs"]
        ],
        "book_seconds": {int(ply): each for ply, each in entries["book_seconds"].items()},
    }


def _read_unit_cost(entry: dict[str, Any]) -> UnitCost:
    return UnitCost(Cost(**entry["each"]), Cost(**entry["position"]))


def _rounded(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Numbers rounded to four digits; the noise is larger."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]
    return value
