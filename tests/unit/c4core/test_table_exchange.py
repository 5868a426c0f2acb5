"""Bounds exported from one solver's transposition table and imported into another's."""

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from c4core import Position
from c4core.batch import BOUND
from c4core.errors import BoardError, KeyValueError
from c4core.solver import Solver

SIZE = "6x6"
HARD = Position("", board=SIZE)
"""Takes several million nodes."""


EARLY = ["", "1", "12", "4455", "1234567", "44444", "112233"]
"""Positions of 7x6; only the first and the sixth are their own mirror images."""


@pytest.fixture(scope="module")
def learned() -> NDArray[np.void]:
    """The bounds that a search of the hard position stores."""
    solver = Solver(table_mb=8)
    solver.solve(HARD)
    return solver.table_bounds(board=SIZE, least_nodes=1 << 8)


def test_every_bound_is_true(learned: NDArray[np.void]) -> None:
    solver = Solver(table_mb=8)
    for bound in learned[:: len(learned) // 200]:
        score = solver.solve(Position.from_key(int(bound["key"]), board=SIZE)).score
        assert score <= bound["score"] if bound["is_upper"] else score >= bound["score"]


def test_bounds_arrive_and_least_nodes_selects_expensive_ones(learned: NDArray[np.void]) -> None:
    assert learned.dtype == BOUND
    assert len(learned) > 1_000
    solver = Solver(table_mb=8)
    solver.add_bounds(learned, board=SIZE)
    found = solver.table_bounds(board=SIZE, least_nodes=1)
    assert np.array_equal(np.sort(found, order="key"), np.sort(learned, order="key"))
    for least, log in ((1 << 12, 12), ((1 << 12) - 1, 12), ((1 << 12) + 1, 13), (1 << 40, 40)):
        found = solver.table_bounds(board=SIZE, least_nodes=least)
        assert len(found) == np.count_nonzero(learned["log_nodes"] >= log)
        assert np.all(found["log_nodes"] >= log)


def test_a_search_uses_the_bounds_and_finds_the_same_score(learned: NDArray[np.void]) -> None:
    alone, helped = Solver(table_mb=8), Solver(table_mb=8)
    helped.add_bounds(learned, board=SIZE)
    first, second = alone.solve(HARD), helped.solve(HARD)
    assert first.score == second.score == -1
    assert second.nodes < first.nodes / 3


@pytest.mark.parametrize("moves", EARLY)
def test_any_bound_round_trips_through_the_smallest_table(moves: str) -> None:
    for score, is_upper in ((-29, False), (-29, True), (0, False), (0, True), (29, False)):
        bound = one(Position(moves).canonical_key, score, is_upper=is_upper)
        solver = Solver(table_mb=1)
        solver.add_bounds(bound)
        assert solver.table_bounds().tolist() == bound.tolist()


def test_mirror_images_with_few_stones_share_a_bound() -> None:
    position = Position("1234567")
    solver = Solver(table_mb=1)
    for image in (position, position.mirrored()):
        solver.add_bounds(one(image.key))
    assert solver.table_bounds()["key"].tolist() == [position.canonical_key]


def test_late_positions_are_left_out() -> None:
    late = Position("33322211144455566616")  # 22 squares are empty
    solver = Solver(table_mb=1)
    solver.add_bounds(np.append(one(late.key), one(late.play(0).key)))
    assert solver.table_bounds()["key"].tolist() == [late.key]


def test_each_board_has_its_own_bounds() -> None:
    solver = Solver(table_mb=1)
    assert len(solver.table_bounds()) == 0
    solver.add_bounds(one())
    assert len(solver.table_bounds(board="8x7")) == 0
    solver.add_bounds(np.empty(0, dtype=BOUND))
    assert len(solver.table_bounds()) == 1


def test_bounds_may_be_exchanged_during_a_search(learned: NDArray[np.void]) -> None:
    solver = Solver(table_mb=8)
    scores: list[int | None] = []
    search = threading.Thread(target=lambda: scores.append(solver.solve(HARD).score))
    search.start()
    while search.is_alive():
        solver.add_bounds(learned[::7], board=SIZE)
        assert len(solver.table_bounds(board=SIZE)) >= 0
    search.join()
    assert scores == [-1]


def one(
    key: int = Position("1").key, score: int = 0, log_nodes: int = 13, *, is_upper: bool = False
) -> NDArray[np.void]:
    return np.array([(key, score, is_upper, log_nodes)], dtype=BOUND)


def test_bad_bounds_are_refused() -> None:
    solver, wrong_type = Solver(table_mb=1), r"c4core\.batch\.bound_type"
    for bounds, error, message in (
        (one(key=0), KeyValueError, r"positions\[0\]"),
        (one(key=2**64 - 1), KeyValueError, r"positions\[0\]"),
        (one(score=30), ValueError, "bound 0 is impossible: a score of 30"),
        (one(score=-128), ValueError, "bound 0 is impossible: a score of -128"),
        (one(log_nodes=32), ValueError, r"bound 0 .* after 2\*\*32 nodes"),
        (np.zeros(3), TypeError, wrong_type),
        (one()["key"], TypeError, wrong_type),
        (one().reshape(1, 1), TypeError, wrong_type),
        ([(1, 2, False, 3)], TypeError, wrong_type),
    ):
        with pytest.raises(error, match=message):
            solver.add_bounds(bounds)
        assert len(solver.table_bounds(least_nodes=0)) == 0
    with pytest.raises(BoardError):
        solver.table_bounds(board="99x6")
    with pytest.raises(BoardError):
        solver.add_bounds(one(), board="7x0")
