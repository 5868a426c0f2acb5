"""Solvers in this process and in other processes, and their comparison on the same positions.

Machines are noisy, and their noise changes over minutes. So the repetitions of the solvers are
interleaved, and their medians are compared.

A solver that is a program reads one position from each line, with 1-based columns. It answers with
a line that has the same moves and the score for the side to move, and may add the number of nodes.
Pascal Pons's ``c4solver`` does this; ``c4 solve --format c4solver`` leaves out the nodes. The time
is the processor time that the system reports for the finished child, minus the time of the same
program without input (for loading, and for allocating its table). So a short pass may even appear
to take negative time; it is repeated, and means are taken. Whether the table is emptied between
positions depends on the program.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from benchmarks.processes import FailedError, run_program
from benchmarks.record import without_directories
from c4core import ENGINE_VERSION, Position, Solver, __version__
from c4core.notation import parse_moves
from cli.measuring import NO_TIME, Lap, Spread, lap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEAST_SECONDS = 0.05
"""A repetition has enough passes to fill this time, because shorter times are lost in the noise."""
MAX_SECONDS = 1.0
"""Maximum time of a repetition, including the parts that are not timed: emptying tables, starting
programs."""
WITH_NODES = 3
"""Number of words in an answer that includes the number of nodes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One pass over positions."""

    scores: list[int]
    """The score of each position, for its side to move."""
    lap: Lap
    nodes: int | None = None
    """Number of nodes; None if the solver does not count them."""


class Contender(ABC):
    """A solver for positions of the 7x6 board."""

    name: str
    version: str
    """The version, or the command of a program."""

    @abstractmethod
    def solve(self, games: Sequence[str]) -> Run:
        """Solve each position exactly, starting with an empty table."""


class InProcess(Contender):
    """A solver with a Python interface."""

    @abstractmethod
    def run_columns(self, games: Sequence[str]) -> Run:
        """Score all columns of each position; the run has the score of the best column."""


class C4(InProcess):
    """The engine of this project."""

    name = "C4"

    def __init__(self, table_mb: int) -> None:
        self.version = f"{__version__} (engine {ENGINE_VERSION}, {table_mb} MB table)"
        self.solver = Solver(table_mb=table_mb)

    def solve(self, games: Sequence[str]) -> Run:
        """Call ``Solver.solve`` for each position."""
        found, took = self._each(self.solver.solve, games)
        return Run([answer.score for answer in found], took, sum(each.nodes for each in found))

    def run_columns(self, games: Sequence[str]) -> Run:
        """Call ``Solver.analyze`` for each position."""
        found, took = self._each(self.solver.analyze, games)
        scores = [max(score for score in each.scores if score is not None) for each in found]
        return Run(scores, took, sum(each.nodes for each in found))

    def _each(self, call: Callable[[Position], Any], games: Sequence[str]) -> tuple[Any, Lap]:
        positions = [Position(moves) for moves in games]
        self.solver.clear()
        return lap(lambda: [call(position) for position in positions])


class BitBully(InProcess):
    """The package ``bitbully``: its C++ core with its fastest algorithm, without opening book."""

    name = "BitBully"

    def __init__(self) -> None:
        from bitbully import bitbully_core  # noqa: PLC0415 (optional)

        self.version = metadata.version("bitbully")
        self._core = bitbully_core.BitBullyCore()
        self._new_board = bitbully_core.BoardCore

    def solve(self, games: Sequence[str]) -> Run:
        """Call ``mtdf`` for each board."""
        boards, mtdf = self._boards(games), self._core.mtdf
        scores, took = lap(lambda: [mtdf(board, 0) for board in boards])
        return Run(scores, took, self._core.getNodeCounter())

    def run_columns(self, games: Sequence[str]) -> Run:
        """Call ``scoreMoves`` for each board; an unplayable column has a very low score."""
        boards, score_moves = self._boards(games), self._core.scoreMoves
        found, took = lap(lambda: [score_moves(board) for board in boards])
        return Run([max(scores) for scores in found], took, self._core.getNodeCounter())

    def _boards(self, games: Sequence[str]) -> list[Any]:
        """Create the boards, and empty the table."""
        self._core.resetTranspositionTable()
        self._core.resetNodeCounter()
        boards = []
        for moves in games:
            boards.append(self._new_board())
            if moves and not boards[-1].play(list(parse_moves(moves))):
                raise ValueError(f"BitBully cannot play {moves}")
        return boards


class Program(Contender):
    """A solver that is a program."""

    def __init__(self, name: str, command: str) -> None:
        self.name = name
        self.version = without_directories(command)
        self._arguments = shlex.split(command)
        if not self._arguments or shutil.which(self._arguments[0]) is None:
            raise FailedError(f"{name}: no program {command!r}")

    def solve(self, games: Sequence[str]) -> Run:
        """Start the program twice: without any input, and with all positions."""
        _, start = self._feed("")
        output, took = self._feed("".join(moves + "\n" for moves in games))
        lines = [line.split() for line in output.splitlines()]
        if len(lines) != len(games):
            raise FailedError(f"{self.name}: {len(lines)} answers for {len(games)} positions")
        try:
            scores = [int(line[line[0] == moves]) for line, moves in zip(lines, games, strict=True)]
            counted = all(len(line) >= WITH_NODES for line in lines)
            nodes = sum(int(line[2]) for line in lines) if counted else None
        except (IndexError, ValueError):
            raise FailedError(f"{self.name}: an answer is not of the form 'moves score'") from None
        return Run(scores, took - start, nodes)

    def _feed(self, text: str) -> tuple[str, Lap]:
        """Run the program once; return its output, and its time including the start."""
        with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+") as sink:
            source.write(text)
            source.seek(0)
            try:
                used = run_program(*self._arguments, source=source, sink=sink)
            except (OSError, FailedError) as error:
                raise FailedError(f"{self.name}: {error}") from None
            sink.seek(0)
            return sink.read(), Lap(used.processor_seconds, used.seconds)


@dataclass(frozen=True, slots=True)
class Measurement:
    """The repetitions of one solver on one case."""

    group: str
    case: str
    solver: str
    count: int
    """Number of positions solved, or of calls, in a pass."""
    cpu: list[float]
    wall: list[float]
    nodes: int | None = None
    """Number of nodes in the first pass; None if the solver does not count them."""
    wrong: int = 0
    """Number of answers that differ from the known score."""
    threads: int = 1

    @property
    def each(self) -> Spread:
        """Processor seconds per position or call."""
        return Spread.of([seconds / self.count for seconds in self.cpu])

    @property
    def elapsed(self) -> Spread:
        """Wall-clock seconds per pass."""
        return Spread.of(self.wall)


@dataclass(frozen=True, slots=True)
class Entry:
    """A solver in a comparison."""

    solver: str
    run: Callable[[], Run]
    """One pass over the positions with an empty table."""
    repeats: int
    threads: int = 1


def compare(
    group: str,
    case: str,
    scores: Sequence[int],
    entries: Sequence[Entry],
) -> list[Measurement]:
    """Time the solvers in turn.

    A first pass that is long enough is the first repetition. A short one warms up code and caches,
    and is not counted.
    """
    series = [_Series(entry) for entry in entries]
    for index in range(max(entry.repeats for entry in entries)):
        for one in series:
            if index < one.entry.repeats:
                one.repeat()
    return [
        Measurement(
            group=group,
            case=case,
            solver=one.entry.solver,
            count=len(scores),
            cpu=[took.cpu for took in one.laps],
            wall=[took.wall for took in one.laps],
            nodes=one.first.nodes,
            wrong=sum(a != b for a, b in zip(one.first.scores, scores, strict=True)),
            threads=one.entry.threads,
        )
        for one in series
    ]


class _Series:
    """The repetitions of one solver."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.first = entry.run()
        is_long = self.first.lap.wall >= LEAST_SECONDS
        self.laps: list[Lap] = [self.first.lap] if is_long else []

    def repeat(self) -> None:
        """Time one more repetition, unless all are done because the first pass counted as one."""
        if len(self.laps) == self.entry.repeats:
            return
        total, passes, began = NO_TIME, 0, time.perf_counter()
        while total.wall < LEAST_SECONDS and time.perf_counter() < began + MAX_SECONDS:
            total += self.entry.run().lap
            passes += 1
        self.laps.append(total / passes)
