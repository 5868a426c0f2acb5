"""The cost of calls from Python, measured with almost nothing to search.

The position has one empty square. Its search ends at once, so the measured time is the call's.
"""

from __future__ import annotations

import sys
import timeit
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.engine.compare import Entry, compare
from benchmarks.engine.programs import run_child
from benchmarks.engine.solvers import BitBully, Run
from c4core import Position, Solver
from c4core.notation import parse_moves
from cli.bench.timing import lap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.engine.plan import Plan
    from benchmarks.engine.results import Measurement

CALLS = "calls"
IMPORTS = "imports"

ONE_MOVE_LEFT = "44276122537725234254556347417537166663131"
"""41 moves without a winner; the last square gives none either."""

LOOPS = 10_000
"""Positions that are solved in a pass, by one call each or all in one batch."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A piece of Python code to time."""

    case: str
    """The purpose of the call; solvers are compared on the same case."""
    solver: str
    """The solver's name."""
    code: str
    """The call."""
    names: dict[str, Any] = field(repr=False)
    """The values of the names in it."""
    positions: int = 1
    """The number of positions that one call solves."""


def measure_calls(plan: Plan) -> Iterator[Measurement]:
    """Time calls of the engine, and of ``bitbully`` where it is installed, in turn."""
    statements = _own_calls()
    if BitBully.is_installed():
        statements += _bitbully_calls()
    for case in dict.fromkeys(statement.case for statement in statements):
        entries = [
            Entry(statement.solver, partial(_loop, statement), plan.repeats)
            for statement in statements
            if statement.case == case
        ]
        yield from compare(CALLS, case, [], entries, count=LOOPS)


def measure_imports(plan: Plan) -> Iterator[Measurement]:
    """Time a new interpreter that imports a package, minus one that imports nothing."""
    modules = {"C4": "c4core"}
    if BitBully.is_installed():
        modules["BitBully"] = "bitbully"
    entries = [
        Entry(solver, partial(_import, module), plan.repeats) for solver, module in modules.items()
    ]
    yield from compare(IMPORTS, "import", [], entries, count=1)


def _own_calls() -> list[Statement]:
    solver = Solver()
    position = Position(ONE_MOVE_LEFT)
    names = {
        "Position": Position,
        "text": ONE_MOVE_LEFT,
        "position": position,
        "solve": solver.solve,
        "analyze": solver.analyze,
        "solve_many": solver.solve_many,
        "keys": np.full(LOOPS, position.key, dtype=np.uint64),
        "positions": [position] * LOOPS,
        "texts": [ONE_MOVE_LEFT] * LOOPS,
    }
    return [
        Statement("score, position ready", "C4", "solve(position)", names),
        Statement("score, from text", "C4", "solve(Position(text))", names),
        Statement("all columns, position ready", "C4", "analyze(position)", names),
        Statement("batch of keys, each", "C4", "solve_many(keys)", names, LOOPS),
        Statement("batch of positions, each", "C4", "solve_many(positions)", names, LOOPS),
        Statement("batch of texts, each", "C4", "solve_many(texts)", names, LOOPS),
    ]


def _bitbully_calls() -> list[Statement]:
    from bitbully import BitBully as Agent  # noqa: PLC0415 (optional)
    from bitbully import Board, bitbully_core  # noqa: PLC0415 (optional)

    columns = list(parse_moves(ONE_MOVE_LEFT))
    agent, core = Agent(opening_book=None), bitbully_core.BitBullyCore()
    board = bitbully_core.BoardCore()
    board.play(columns)
    names = {
        "Board": Board,
        "text": "".join(map(str, columns)),
        "board": board,
        "wrapped": Board(columns),
        "mtdf": core.mtdf,
        "score_moves": core.scoreMoves,
        "agent_mtdf": agent.mtdf,
        "agent_score_moves": agent.score_all_moves,
    }
    ready, text, every = (
        "score, position ready",
        "score, from text",
        "all columns, position ready",
    )
    return [
        Statement(ready, "BitBully", "agent_mtdf(wrapped)", names),
        Statement(ready, "BitBully's core", "mtdf(board, 0)", names),
        Statement(text, "BitBully", "agent_mtdf(Board(text))", names),
        Statement(every, "BitBully", "agent_score_moves(wrapped)", names),
        Statement(every, "BitBully's core", "score_moves(board)", names),
    ]


def _loop(statement: Statement) -> Run:
    timer = timeit.Timer(statement.code, globals=statement.names)
    _, took = lap(lambda: timer.timeit(LOOPS // statement.positions))
    return Run([], took)


def _import(module: str) -> Run:
    with_it = run_child([sys.executable, "-c", f"import {module}"])
    without = run_child([sys.executable, "-c", "pass"])
    return Run([], with_it - without)
