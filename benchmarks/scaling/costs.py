"""What units and messages cost, as measured, and the JSON file that keeps it.

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
    """What one transaction, or one message, takes. Seconds."""

    server: float = 0.0
    """Of a processor of the server."""
    client: float = 0.0
    """Of the process that asks: Python code, of which a process runs one thread at a time."""
    wait: float = 0.0
    """The rest of the time until the answer is there: the disk, the network next door."""
    round_trips: float = 0.0
    """How often the client waits for an answer; each takes longer where the server is far."""

    def __add__(self, other: Cost) -> Cost:
        """The cost of both."""
        return Cost(
            self.server + other.server,
            self.client + other.client,
            self.wait + other.wait,
            self.round_trips + other.round_trips,
        )

    def __sub__(self, other: Cost) -> Cost:
        """The cost without the other; noise makes no part of it negative."""
        return Cost(
            max(0.0, self.server - other.server),
            max(0.0, self.client - other.client),
            max(0.0, self.wait - other.wait),
            max(0.0, self.round_trips - other.round_trips),
        )

    def __mul__(self, times: float) -> Cost:
        """The cost of so many."""
        return Cost(
            self.server * times, self.client * times, self.wait * times, self.round_trips * times
        )


@dataclass(frozen=True, slots=True)
class UnitCost:
    """What a step takes that is done once for a unit of any number of positions."""

    each: Cost = Cost()
    """For the unit itself."""
    position: Cost = Cost()
    """For each of its positions."""

    def of(self, positions: float) -> Cost:
        """For a unit of so many."""
        return self.each + self.position * positions

    @classmethod
    def through(cls, few: Cost, many: Cost, *, at: tuple[int, int]) -> UnitCost:
        """The line through what units of few and of many positions took."""
        position = (many - few) * (1 / (at[1] - at[0]))
        return cls(few - position * at[0], position)


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """Everything that is done for a unit of some kind besides searching."""

    plan: UnitCost = UnitCost()
    """Reading its lines, writing it into the database."""
    claim: UnitCost = UnitCost()
    """Claiming it by its number."""
    solve: UnitCost = UnitCost()
    """Reading its payload, looking up what is known, making its result; without the search."""
    complete: UnitCost = UnitCost()
    """Storing what was found, marking it done and announcing the next, in one transaction."""


@dataclass(frozen=True, slots=True)
class SharedCosts:
    """What is done whatever the units are: messages, and duties beside the units."""

    ring: Cost = Cost()
    """A message to the broker."""
    take: Cost = Cost()
    """A message from the broker to the task, and its acknowledgement."""
    heartbeat: Cost = Cost()
    """Prolonging a lease."""
    turn: Cost = Cost()
    """Asking for the sweeper's turn in vain."""
    sweep: Cost = Cost()
    """The sweeper's turn, when nothing was lost."""
    beat: Cost = Cost()
    """Renewing a worker's entry."""
    poll: Cost = Cost()
    """A second of a worker that waits for messages: the broker's, and its own Python's beside the
    duties above."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Everything but searching."""

    unit: UnitCosts = UnitCosts()
    shared: SharedCosts = SharedCosts()


@dataclass(frozen=True, slots=True)
class Taken:
    """Processor seconds that a unit of a job took, all in all."""

    worker: float
    """Search and Python."""
    database: float
    broker: float

    @property
    def together(self) -> float:
        """Of all processes."""
        return self.worker + self.database + self.broker


@dataclass(frozen=True, slots=True)
class RealRun:
    """A job that real workers did, and what the measured costs make of the same job."""

    workers: int
    threads: int
    """Of each worker."""
    units: int
    positions: int
    """Of each unit."""
    unit_seconds: float
    """Searching, mean over the units."""
    load: float
    """Other processes that were ready to run, on average, for each processor."""
    units_per_second: float
    """Of all workers together."""
    real: Taken
    foreseen: Taken


@dataclass(frozen=True, slots=True)
class Sizes:
    """What units leave behind in the database. Bytes."""

    unit: float = 0.0
    """A unit's row without its positions, indexes included."""
    position: float = 0.0
    """A position's share of its unit's row."""
    evaluation: float = 0.0
    """A position's row of the evaluations, indexes included."""
    log_unit: float = 0.0
    """Written to the write-ahead log for a unit, from planning to completion."""
    log_position: float = 0.0
    """Likewise for each of its positions."""


@dataclass(frozen=True, slots=True)
class Measured:
    """All that was measured, and where."""

    date: str
    command: str
    machine: dict[str, str | int]
    versions: dict[str, str]
    units: dict[str, UnitCosts]
    """By the kind of their job."""
    sizes: dict[str, Sizes]
    """Likewise."""
    shared: SharedCosts
    connections: dict[int, int]
    """To the database, of a worker by its number of threads."""
    runs: list[RealRun] = field(default_factory=list)
    book_seconds: dict[int, float] = field(default_factory=dict)
    """Search of a position of a book, by ply; measured elsewhere (docs/books.md) and given here."""

    def costs(self, kind: str) -> Costs:
        """What jobs of a kind cost."""
        return Costs(self.units[kind], self.shared)

    def write(self, path: Path) -> None:
        """Write the file."""
        write_json(path, {"format": FORMAT, **_rounded(asdict(self))})

    @classmethod
    def read(cls, path: Path) -> Measured:
        """Read a file that :meth:`write` made.

        Raises:
            ValueError: it is no such file.
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
    """Numbers with four digits; the noise is larger."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]
    return value
