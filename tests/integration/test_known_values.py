"""Values on which the literature and other solvers agree.

Sources: J. D. Allen (1988) and V. Allis (1988) for 7x6; J. Tromp's table of board sizes for the
others. J. Tromp also published the scores of the empty board's columns and the benchmark positions
of the Fhourstones program. tests/release/long/ has the boards that take minutes.
"""

import pytest

from c4core import Position, Solver, parse_board

BOARDS = {
    "4x4": "=", "5x4": "=", "6x4": "-", "7x4": "=", "8x4": "-",
    "4x5": "=", "5x5": "=", "6x5": "=", "7x5": "=",
    "4x6": "=", "5x6": "=", "6x6": "-",
    "4x7": "=", "5x7": "=",
    "4x8": "=", "4x9": "=",
}  # fmt: skip
SIGNS = {"+": "win", "=": "draw", "-": "loss"}


def test_value_of_empty_boards() -> None:
    solver = Solver()
    for board, sign in BOARDS.items():
        width, height = parse_board(board)
        evaluation = solver.solve(Position(width=width, height=height), weak=True)
        assert evaluation.value == SIGNS[sign], board


@pytest.mark.parametrize(("board", "score"), [("6x5", 0), ("7x5", 0), ("6x6", -1), ("5x8", 0)])
def test_score_of_empty_boards(board: str, score: int) -> None:
    width, height = parse_board(board)
    assert Solver().solve(Position(width=width, height=height)).score == score


@pytest.mark.parametrize(
    ("moves", "value"), [("45461667", "win"), ("35333571", "loss"), ("13333111", "draw")]
)
def test_fhourstones_positions(moves: str, value: str) -> None:
    assert Solver().solve(Position(moves), weak=True).value == value
