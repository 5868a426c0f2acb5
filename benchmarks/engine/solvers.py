"""Solvers that are called from Python, behind one small interface.

A loop over positions is timed, with one call for each position, one thread and no book. The
positions are in the solver's own form. The time to make them and to clear the table does not count.
"""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.record import version_of
from c4core import ENGINE_VERSION, Position, Solver, __version__
from c4core.notation import parse_moves
from cli.bench.timing import NO_TIME, Lap, lap

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Run:
    """One pass over some positions."""

    scores: list[int]
    """A score for each position, for its side to move."""
    lap: Lap
    """The time of the pass."""
    nodes: int | None = None
    """Positions searched; None if the solver does not count them."""


class Contender(ABC):
    """A solver for positions of the 7x6 board."""

    name: str
    """Its name in the tables."""
    version: str
    """Its version, or its command."""

    @abstractmethod
    def run(self, games: Sequence[str], *, fresh: bool = False) -> Run:
        """Solve each position exactly, starting with an empty table.

        Args:
            games: the moves of each position, 1-based columns.
            fresh: empty the table before every position, not only before the first.
        """


class InProcess(Contender):
    """A solver with a Python interface."""

    def run(self, games: Sequence[str], *, fresh: bool = False) -> Run:
        """As in :class:`Contender`."""
        return self._run([self.ready(moves) for moves in games], fresh=fresh, columns=False)

    def run_columns(self, games: Sequence[str]) -> Run:
        """Score all columns of each position; the run's scores are the best column's."""
        return self._run([self.ready(moves) for moves in games], fresh=False, columns=True)

    def _run(self, positions: list[Any], *, fresh: bool, columns: bool) -> Run:
        loop = self.analyze_all if columns else self.solve_all
        total, answers = NO_TIME, []
        nodes: int | None = 0
        for part in [[position] for position in positions] if fresh else [positions]:
            self.clear()
            found, took = lap(partial(loop, part))
            total += took
            answers += self.best_columns(found) if columns else self.scores(found)
            more = self.nodes(found)
            nodes = None if nodes is None or more is None else nodes + more
        return Run(answers, total, nodes)

    @abstractmethod
    def ready(self, moves: str) -> Any:  # noqa: ANN401 (each solver's own kind of position)
        """A position in the solver's own form."""

    @abstractmethod
    def clear(self) -> None:
        """Empty the table, and start to count nodes."""

    @abstractmethod
    def solve_all(self, positions: list[Any]) -> list[Any]:
        """The timed loop: one call for each position and nothing else."""

    @abstractmethod
    def analyze_all(self, positions: list[Any]) -> list[Any]:
        """The timed loop for the scores of all columns."""

    @abstractmethod
    def scores(self, answers: list[Any]) -> list[int]:
        """The scores in the results of :meth:`solve_all`."""

    @abstractmethod
    def best_columns(self, answers: list[Any]) -> list[int]:
        """The best score in each of the results of :meth:`analyze_all`."""

    @abstractmethod
    def nodes(self, answers: list[Any]) -> int | None:
        """Positions searched since :meth:`clear`."""


class C4(InProcess):
    """The engine of this project.

    Args:
        table_mb: size of the table.
    """

    name = "C4"

    def __init__(self, table_mb: int) -> None:
        self.version = f"{__version__} (engine {ENGINE_VERSION}, {table_mb} MB table)"
        self.solver = Solver(table_mb=table_mb)

    def ready(self, moves: str) -> Position:
        """A position."""
        return Position(moves)

    def clear(self) -> None:
        """Empty the table."""
        self.solver.clear()

    def solve_all(self, positions: list[Any]) -> list[Any]:
        """One ``Solver.solve`` a position."""
        solve = self.solver.solve
        return [solve(position) for position in positions]

    def analyze_all(self, positions: list[Any]) -> list[Any]:
        """One ``Solver.analyze`` a position."""
        analyze = self.solver.analyze
        return [analyze(position) for position in positions]

    def scores(self, answers: list[Any]) -> list[int]:
        """The scores of evaluations."""
        return [answer.score for answer in answers]

    def best_columns(self, answers: list[Any]) -> list[int]:
        """The best columns' scores of analyses."""
        return [max(score for score in answer.scores if score is not None) for answer in answers]

    def nodes(self, answers: list[Any]) -> int:
        """The sum over all answers."""
        return sum(answer.nodes for answer in answers)


class BitBully(InProcess):
    """The package ``bitbully``: its C++ core without its opening book, by its fastest algorithm."""

    name = "BitBully"

    def __init__(self) -> None:
        from bitbully import bitbully_core  # noqa: PLC0415 (optional)

        self.version = version_of("bitbully")
        self._core = bitbully_core.BitBullyCore()
        self._new_board = bitbully_core.BoardCore

    def ready(self, moves: str) -> Any:  # noqa: ANN401 (no types)
        """A board."""
        board = self._new_board()
        if moves and not board.play(list(parse_moves(moves))):
            raise ValueError(f"BitBully cannot play {moves}")
        return board

    def clear(self) -> None:
        """Empty the table."""
        self._core.resetTranspositionTable()
        self._core.resetNodeCounter()

    def solve_all(self, positions: list[Any]) -> list[Any]:
        """One ``mtdf`` a board."""
        solve = self._core.mtdf
        return [solve(board, 0) for board in positions]

    def analyze_all(self, positions: list[Any]) -> list[Any]:
        """One ``scoreMoves`` a board."""
        analyze = self._core.scoreMoves
        return [analyze(board) for board in positions]

    def scores(self, answers: list[Any]) -> list[int]:
        """The answers themselves."""
        return answers

    def best_columns(self, answers: list[Any]) -> list[int]:
        """The largest scores; a column that cannot be played has a very low one."""
        return [max(answer) for answer in answers]

    def nodes(self, answers: list[Any]) -> int:  # noqa: ARG002 (the core counts)
        """The core's own count."""
        count: int = self._core.getNodeCounter()
        return count

    @staticmethod
    def is_installed() -> bool:
        """Whether the package is installed (``pip install bitbully``)."""
        return importlib.util.find_spec("bitbully") is not None
