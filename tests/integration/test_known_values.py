"""Values that the literature and other solvers agree on.

Sources: J. D. Allen (1988) and V. Allis (1988) for 7x6; J. Tromp's table of board sizes for the
others; the scores of the empty board's columns and the benchmark positions of the Fhourstones
program are J. Tromp's as well.
"""

from itertools import islice

import numpy as np
import pytest

from c4core import Position, Solver, parse_board
from c4core.reachable import plies

QUICK_BOARDS = {
    "4x4": "=", "5x4": "=", "6x4": "-", "7x4": "=", "8x4": "-",
    "4x5": "=", "5x5": "=", "6x5": "=", "7x5": "=",
    "4x6": "=", "5x6": "=", "6x6": "-",
    "4x7": "=", "5x7": "=",
    "4x8": "=", "4x9": "=",
}  # fmt: skip
LONGER_BOARDS = {
    "9x4": "-", "10x4": "-", "8x5": "+", "7x6": "+", "6x7": "+", "5x8": "=", "4x10": "=",
}  # fmt: skip
SIGNS = {"+": "win", "=": "draw", "-": "loss"}

FIRST_PLAYER_VALUES = {  # ply: won, drawn, lost for the first player, without mirror reduction
    0: (1, 0, 0),
    1: (1, 2, 4),
    2: (27, 12, 10),
    3: (35, 58, 145),
    4: (690, 200, 230),
}


def check_boards(boards: dict[str, str]) -> None:
    solver = Solver()
    for board, sign in boards.items():
        width, height = parse_board(board)
        evaluation = solver.solve(Position(width=width, height=height), weak=True)
        assert evaluation.value == SIGNS[sign], board


def test_value_of_empty_boards() -> None:
    check_boards(QUICK_BOARDS)


@pytest.mark.long
def test_value_of_larger_empty_boards() -> None:
    check_boards(LONGER_BOARDS)


@pytest.mark.parametrize(("board", "score"), [("6x5", 0), ("7x5", 0), ("6x6", -1), ("5x8", 0)])
def test_score_of_empty_boards(board: str, score: int) -> None:
    width, height = parse_board(board)
    assert Solver().solve(Position(width=width, height=height)).score == score


@pytest.mark.parametrize(
    ("moves", "value"), [("45461667", "win"), ("35333571", "loss"), ("13333111", "draw")]
)
def test_fhourstones_positions(moves: str, value: str) -> None:
    assert Solver().solve(Position(moves), weak=True).value == value


@pytest.mark.long
def test_the_empty_board() -> None:
    solver = Solver()
    analysis = solver.analyze(Position())
    assert analysis.scores == (-2, -1, 0, 1, 0, -1, -2)
    assert (analysis.score, analysis.best) == (1, (3,))
    # With the same table: every column has been searched.
    line = solver.principal_variation(Position())
    assert len(line) == 41
    assert Position.from_columns(line).winner == "x"


@pytest.mark.long
def test_values_per_ply() -> None:
    """Every position of the first plies, counted by its value for the first player."""
    solver = Solver(threads=2, table_mb=256)
    # The last ply first: those above it are found in the table then.
    for ply in reversed(FIRST_PLAYER_VALUES):
        assert values_of_ply(solver, ply) == FIRST_PLAYER_VALUES[ply], ply


def values_of_ply(solver: Solver, ply: int) -> tuple[int, int, int]:
    """Positions with so many stones that are won, drawn and lost for the first player."""
    keys = next(islice(plies(), ply, None))
    canonical = next(islice(plies(canonical=True), ply, None))
    batch = solver.solve_many(canonical, weak=True)
    value = np.sign(batch.lower.astype(int) + batch.upper.astype(int)) * (-1 if ply % 2 else 1)
    by_key = dict(zip(canonical.tolist(), value.tolist(), strict=True))
    counts = {1: 0, 0: 0, -1: 0}
    for key in keys.tolist():
        counts[by_key[Position.from_key(key).canonical_key]] += 1
    return counts[1], counts[0], counts[-1]
