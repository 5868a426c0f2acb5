"""Published values that take minutes; see also tests/integration/test_known_values.py."""

from itertools import islice

import numpy as np
import pytest

from c4core import Position, Solver, parse_board
from c4core.arrays import plies

FIRST_PLAYER_VALUES = {  # ply: won, drawn, lost for the first player, without mirror reduction
    0: (1, 0, 0),
    1: (1, 2, 4),
    2: (27, 12, 10),
    3: (35, 58, 145),
    4: (690, 200, 230),
}


@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("9x4", "loss"),
        ("10x4", "loss"),
        ("8x5", "win"),
        ("7x6", "win"),
        ("6x7", "win"),
        ("4x10", "draw"),
    ],
)
def test_value_of_larger_empty_boards(board: str, value: str) -> None:
    width, height = parse_board(board)
    assert Solver().solve(Position(width=width, height=height), weak=True).value == value


def test_the_empty_board() -> None:
    solver = Solver()
    analysis = solver.analyze(Position())
    assert analysis.scores == (-2, -1, 0, 1, 0, -1, -2)
    assert (analysis.score, analysis.best) == (1, (3,))
    # With the same table: every column has been searched.
    line = solver.principal_variation(Position())
    assert len(line) == 41
    assert Position.from_columns(line).winner == "x"


def test_values_per_ply() -> None:
    """Every position of the first plies, counted by its value for the first player."""
    solver = Solver(threads=2, table_mb=256)
    # Last ply first: the others are then found in the table.
    for ply in reversed(FIRST_PLAYER_VALUES):
        assert values_of_ply(solver, ply) == FIRST_PLAYER_VALUES[ply], ply


def values_of_ply(solver: Solver, ply: int) -> tuple[int, int, int]:
    """Numbers of positions of a ply that are won, drawn and lost for the first player."""
    keys = next(islice(plies(), ply, None))
    canonical = next(islice(plies(canonical=True), ply, None))
    batch = solver.solve_many(canonical, weak=True)
    value = np.sign(batch.lower.astype(int) + batch.upper.astype(int)) * (-1 if ply % 2 else 1)
    by_key = dict(zip(canonical.tolist(), value.tolist(), strict=True))
    counts = {1: 0, 0: 0, -1: 0}
    for key in keys.tolist():
        counts[by_key[Position.from_key(key).canonical_key]] += 1
    return counts[1], counts[0], counts[-1]
