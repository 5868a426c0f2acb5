"""Empty boards, solved exactly and for win, draw or loss; the first moves of 7x6."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.engine.compare import Entry, compare
from benchmarks.engine.solvers import Run
from c4core import Position, parse_board
from cli.bench.timing import lap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.engine.plan import Plan
    from benchmarks.engine.results import Measurement
    from benchmarks.engine.solvers import C4, Contender

BOARDS = "boards"
OPENINGS = "openings"
WEAK = "win, draw or loss"
STANDARD = "7x6"

SCORES = {
    "7x5": 0,
    "6x6": -1,
    "5x8": 0,
    "6x7": 1,
    "8x5": 1,
    "9x4": -1,
    "7x6": 1,
}
"""Known scores of empty boards for the first player."""

FIRST_MOVES = {"1": 2, "2": 1, "3": 0, "4": -1, "5": 0, "6": 1, "7": 2}
"""Scores after each first move, for the second player."""


def measure_boards(
    plan: Plan, own: C4, rivals: Sequence[Contender], *, long: bool
) -> Iterator[Measurement]:
    """Solve empty boards with an empty table.

    Args:
        plan: the boards, and the numbers of repetitions.
        own: this project's engine.
        rivals: other solvers.
        long: whether the rivals solve the empty 7x6 board too, once; it takes them minutes.
    """
    for name in plan.boards:
        yield from compare(
            BOARDS,
            name,
            [SCORES[name]],
            [Entry(own.name, partial(solve_board, own, name), plan.long_repeats)],
        )
    yield from compare(
        BOARDS,
        STANDARD,
        [SCORES[STANDARD]],
        [
            Entry(own.name, partial(solve_board, own, STANDARD), plan.long_repeats),
            *(Entry(rival.name, partial(rival.run, [""]), 1) for rival in (rivals if long else ())),
        ],
    )
    yield from compare(
        BOARDS,
        f"{STANDARD}, {WEAK}",
        [SCORES[STANDARD]],
        [Entry(own.name, partial(solve_board, own, STANDARD, weak=True), plan.long_repeats)],
    )


def measure_openings(plan: Plan, own: C4) -> Iterator[Measurement]:
    """Solve the position after each first move, each with an empty table."""
    for move, score in FIRST_MOVES.items():
        yield from compare(
            OPENINGS,
            move,
            [score],
            [Entry(own.name, partial(own.run, [move]), plan.long_repeats)],
        )


def solve_board(own: C4, name: str, *, weak: bool = False) -> Run:
    """Solve an empty board; a weak solve promises only the sign of the score."""
    board = parse_board(name)
    position = Position(width=board.width, height=board.height)
    own.clear()
    evaluation, took = lap(lambda: own.solver.solve(position, weak=weak))
    score = evaluation.score
    if weak:
        score = {"win": 1, "draw": 0, "loss": -1}.get(evaluation.value or "")
    if score is None:
        raise RuntimeError(f"the empty board {name} was not solved")
    return Run([score], took, evaluation.nodes)
