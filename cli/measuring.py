"""Measurements for ``c4 bench`` and the benchmarks: scored positions, times, rows."""

from __future__ import annotations

import platform
import statistics
import time
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from c4core.evaluation import plies_to_end
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.solver import Solver
from cli.shell.process import run_in_background

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from c4core.evaluation import Evaluation

CLASSES: Final = (
    "end-easy",
    "middle-easy",
    "begin-easy",
    "middle-medium",
    "begin-medium",
    "begin-hard",
)
"""Names of the classes, the quickest to solve first."""

_LAST_BEGIN: Final = 14
_LAST_MIDDLE: Final = 28
_MAX_EASY: Final = 14
_MAX_MEDIUM: Final = 28


class ScoredPosition(NamedTuple):
    """A position of the 7x6 board with its exact score."""

    moves: str
    """1-based columns."""
    score: int
    """Exact score for the side to move."""


def class_of(position: ScoredPosition) -> str:
    """The class of a position."""
    stones = len(position.moves)
    left = plies_to_end(position.score, stones, DEFAULT_BOARD)
    phase = "begin" if stones <= _LAST_BEGIN else "middle" if stones <= _LAST_MIDDLE else "end"
    grade = "easy" if left <= _MAX_EASY else "medium" if left <= _MAX_MEDIUM else "hard"
    return f"{phase}-{grade}"


def read_scored(lines: Iterable[str]) -> list[ScoredPosition]:
    """Read lines of ``moves score``; the rest of a line is ignored."""
    positions = []
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        try:
            positions.append(ScoredPosition(words[0], int(words[1])))
        except (IndexError, ValueError):
            raise ValueError(f"line {number} is not 'moves score': {line.rstrip()!r}") from None
    return positions


def by_class(positions: Iterable[ScoredPosition]) -> dict[str, list[ScoredPosition]]:
    """Group positions by class, in the order of :data:`CLASSES`."""
    classes: dict[str, list[ScoredPosition]] = {name: [] for name in CLASSES}
    for position in positions:
        classes[class_of(position)].append(position)
    return classes


def shipped_set() -> dict[str, list[ScoredPosition]]:
    """The included positions, by class."""
    text = resources.files("cli").joinpath("data", "bench.txt").read_text(encoding="ascii")
    return by_class(read_scored(text.splitlines()))


T = TypeVar("T")

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_ALMOST = 0.9995
"""The smallest number that three digits round up to 1."""

LEAST_SECONDS: Final = 0.5
"""Passes over quick positions are repeated for at least this time."""
QUICK_SECONDS: Final = 0.1
"""The value for a quick run."""
PATIENCE: Final = 20.0
"""Time limit for the search of a single position in seconds."""
QUICK: Final = 10
"""Positions per class in a quick run."""
QUICK_HARD: Final = 2
"""Positions of the hard class in a quick run."""
HARD: Final = "begin-hard"
BATCH: Final = "begin-medium"
EMPTY_BOARD: Final = (ScoredPosition("", 1),)


@dataclass(frozen=True, slots=True)
class Lap:
    """The duration of a run, in seconds."""

    cpu: float
    """Processor time of the process, all threads together."""
    wall: float

    def __add__(self, other: Lap) -> Lap:
        """Add two durations."""
        return Lap(self.cpu + other.cpu, self.wall + other.wall)

    def __sub__(self, other: Lap) -> Lap:
        """Subtract a duration; noise can make the result negative."""
        return Lap(self.cpu - other.cpu, self.wall - other.wall)

    def __truediv__(self, parts: int) -> Lap:
        """The duration of one of several equal parts."""
        return Lap(self.cpu / parts, self.wall / parts)


NO_TIME = Lap(0.0, 0.0)


def lap(work: Callable[[], T]) -> tuple[T, Lap]:
    """Run some work once. Return its result and its duration.

    Reading the clocks takes about a microsecond: repeat work that is much shorter than a
    millisecond.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, Lap(time.process_time() - cpu, time.perf_counter() - wall)


@dataclass(frozen=True, slots=True)
class Spread:
    """The median and the range of repeated measurements."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Measure the spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))


def time_with_unit(seconds: float) -> str:
    """Format a time with three digits and a unit: ``34.2 µs``. Zero is a dash."""
    if seconds <= 0:
        return "-"
    size, unit = next((entry for entry in UNITS if seconds >= entry[0] * _ALMOST), UNITS[-1])
    return f"{three_digits(seconds / size)} {unit}"


def three_digits(number: float) -> str:
    """Format a positive number with two decimals, one or none: ``1.23``, ``12.3``, ``1,234``."""
    for decimals, limit in ((2, 9.995), (1, 99.95)):
        if number < limit:
            return f"{number:.{decimals}f}"
    return f"{number:,.0f}"


def processor() -> str:
    """The processor's name according to the system, or its architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement."""

    work: str
    positions: int
    """Number of positions in a pass."""
    threads: int
    passes: int
    """Number of passes, each with an empty table; the times are their medians."""
    cpu_seconds: float
    wall_seconds: float
    nodes: int
    """Nodes searched in the first pass."""
    unsolved: int
    """Positions that took longer than the limit."""
    wrong: int
    """Answers that contradict the known score."""


def measure(*, table_mb: int, threads: int, quick: bool) -> Iterator[Row]:
    """Measure the classes on one thread, the empty board, and the speed-up by more threads.

    ``table_mb`` changes the node counts; ``threads`` is the largest number of threads. ``quick``
    measures few positions and leaves out the empty board.
    """
    classes = {
        name: scored[: (QUICK_HARD if name == HARD else QUICK) if quick else None]
        for name, scored in shipped_set().items()
    }
    seconds = QUICK_SECONDS if quick else LEAST_SECONDS
    solver = Solver(table_mb=table_mb)
    for name, scored in classes.items():
        yield _row(name, solver, scored, _batch, seconds)
    if not quick:
        weakly = partial(_one_by_one, weak=True)
        yield _row("empty board", solver, EMPTY_BOARD, _one_by_one, seconds)
        yield _row("empty board, win/draw/loss", solver, EMPTY_BOARD, weakly, seconds)
    for number in thread_counts(threads)[1:]:
        solver = Solver(table_mb=table_mb, threads=number)
        yield _row(BATCH, solver, classes[BATCH], _batch, seconds)
        yield _row(f"{HARD}, one by one", solver, classes[HARD], _one_by_one, seconds)


def signature(rows: Iterable[Row]) -> int:
    """Nodes searched for all classes by one thread.

    The number is the same on every machine; it changes when the search changes.
    """
    return sum(row.nodes for row in rows if row.threads == 1 and row.work in CLASSES)


def thread_counts(most: int) -> list[int]:
    """Powers of two up to ``most``, and ``most`` itself."""
    counts = [1]
    while counts[-1] * 2 <= most:
        counts.append(counts[-1] * 2)
    return counts if counts[-1] == most else [*counts, most]


@dataclass(frozen=True, slots=True)
class _Answer:
    lower: int
    upper: int
    solved: bool


@dataclass(frozen=True, slots=True)
class _Pass:
    answers: list[_Answer]
    nodes: int
    took: Lap


def _row(
    work: str,
    solver: Solver,
    scored: Sequence[ScoredPosition],
    run: Callable[[Solver, Sequence[Position]], _Pass],
    seconds: float,
) -> Row:
    positions = [Position(moves) for moves, _ in scored]
    passes = run_in_background(
        partial(_passes, partial(run, solver, positions), seconds), solver.stop
    )
    first = passes[0]
    return Row(
        work=work,
        positions=len(scored),
        threads=solver.threads,
        passes=len(passes),
        cpu_seconds=statistics.median(one.took.cpu for one in passes),
        wall_seconds=statistics.median(one.took.wall for one in passes),
        nodes=first.nodes,
        unsolved=sum(not answer.solved for answer in first.answers),
        wrong=sum(
            not answer.lower <= position.score <= answer.upper
            for answer, position in zip(first.answers, scored, strict=True)
        ),
    )


def _passes(run: Callable[[], _Pass], seconds: float) -> list[_Pass]:
    passes = [run()]
    while sum(one.took.wall for one in passes) < seconds:
        passes.append(run())
    return passes


def _batch(solver: Solver, positions: Sequence[Position]) -> _Pass:
    solver.clear()
    found, took = lap(lambda: solver.solve_many(positions))
    answers = [
        _Answer(lower, upper, lower == upper)
        for lower, upper in zip(found.lower.tolist(), found.upper.tolist(), strict=True)
    ]
    return _Pass(answers, int(found.nodes.sum()), took)


def _one_by_one(solver: Solver, positions: Sequence[Position], *, weak: bool = False) -> _Pass:
    solver.clear()

    def solve(position: Position) -> Evaluation:
        return solver.solve(position, weak=weak, time_limit=PATIENCE)

    found, took = lap(lambda: [solve(position) for position in positions])
    answers = [
        _Answer(one.lower, one.upper, one.value is not None if weak else one.is_exact)
        for one in found
    ]
    return _Pass(answers, sum(one.nodes for one in found), took)
