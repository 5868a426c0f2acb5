"""Bounds exported from one solver's transposition table and imported into another's."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core import Position
from c4core.batch import BOUND
from c4core.errors import BoardError, KeyValueError
from c4core.solver import Solver

if TYPE_CHECKING:
    from numpy.typing import NDArray

HARD = Position("", width=6, height=6)
"""Takes several million nodes."""
EARLY = ["", "1", "12", "4455", "1234567", "44444", "112233"]
"""Positions of 7x6; only the first and the sixth are their own mirror images."""


def sizes(position: Position) -> dict[str, int]:
    return {"width": position.width, "height": position.height}


def in_order(bounds: NDArray[np.void]) -> NDArray[np.void]:
    return np.sort(bounds, order="key")


@pytest.fixture(scope="module")
def learned() -> NDArray[np.void]:
    """The bounds that a search of the hard position stores."""
    solver = Solver(table_mb=8)
    solver.solve(HARD)
    return solver.table_bounds(**sizes(HARD), least_nodes=1 << 8)


def test_all_bounds_arrive(learned: NDArray[np.void]) -> None:
    assert learned.dtype == BOUND
    assert len(learned) > 1_000
    solver = Solver(table_mb=8)
    solver.add_bounds(learned, **sizes(HARD))
    found = solver.table_bounds(**sizes(HARD), least_nodes=1)
    assert np.array_equal(in_order(found), in_order(learned))


def test_every_bound_is_true(learned: NDArray[np.void]) -> None:
    solver = Solver(table_mb=8)
    for bound in learned[:: len(learned) // 200]:
        score = solver.solve(Position.from_key(int(bound["key"]), **sizes(HARD))).score
        assert score is not None
        assert score <= bound["score"] if bound["is_upper"] else score >= bound["score"]


def test_least_nodes_selects_expensive_bounds(learned: NDArray[np.void]) -> None:
    solver = Solver(table_mb=8)
    solver.add_bounds(learned, **sizes(HARD))
    for least, log in ((1 << 12, 12), ((1 << 12) - 1, 12), ((1 << 12) + 1, 13), (1 << 40, 40)):
        found = solver.table_bounds(**sizes(HARD), least_nodes=least)
        assert len(found) == np.count_nonzero(learned["log_nodes"] >= log)
        assert np.all(found["log_nodes"] >= log)


def test_a_search_uses_the_bounds_and_finds_the_same_score(learned: NDArray[np.void]) -> None:
    alone, helped = Solver(table_mb=8), Solver(table_mb=8)
    helped.add_bounds(learned, **sizes(HARD))
    first, second = alone.solve(HARD), helped.solve(HARD)
    assert first.score == second.score == -1
    assert second.nodes < first.nodes / 3


@pytest.mark.parametrize("moves", EARLY)
@pytest.mark.parametrize(
    ("score", "is_upper"), [(-29, False), (-29, True), (0, False), (0, True), (29, False)]
)
def test_any_bound_round_trips_through_the_smallest_table(
    moves: str, *, score: int, is_upper: bool
) -> None:
    position = Position(moves)
    bound = np.array([(position.canonical_key, score, is_upper, 13)], dtype=BOUND)
    solver = Solver(table_mb=1)
    solver.add_bounds(bound)
    assert solver.table_bounds().tolist() == bound.tolist()


def test_mirror_images_with_few_stones_share_a_bound() -> None:
    position = Position("1234567")
    solver = Solver(table_mb=1)
    for image in (position, position.mirrored()):
        solver.add_bounds(np.array([(image.key, 2, False, 20)], dtype=BOUND))
    assert solver.table_bounds()["key"].tolist() == [position.canonical_key]


def test_late_positions_are_left_out() -> None:
    late = Position("33322211144455566616")  # 22 squares are empty
    later = late.play(0)
    bounds = np.array([(late.key, 0, False, 13), (later.key, 0, False, 13)], dtype=BOUND)
    solver = Solver(table_mb=1)
    solver.add_bounds(bounds)
    assert solver.table_bounds()["key"].tolist() == [late.key]


def test_each_board_has_its_own_bounds() -> None:
    solver = Solver(table_mb=1)
    assert len(solver.table_bounds()) == 0
    solver.add_bounds(np.array([(Position("1").key, 0, False, 13)], dtype=BOUND))
    assert len(solver.table_bounds(width=8, height=7)) == 0
    assert len(solver.table_bounds()) == 1


def test_adding_no_bounds_changes_nothing() -> None:
    solver = Solver(table_mb=1)
    solver.add_bounds(np.empty(0, dtype=BOUND))
    assert len(solver.table_bounds(least_nodes=0)) == 0


def test_bounds_may_be_exchanged_during_a_search(learned: NDArray[np.void]) -> None:
    solver = Solver(table_mb=8)
    scores: list[int | None] = []
    search = threading.Thread(target=lambda: scores.append(solver.solve(HARD).score))
    search.start()
    while search.is_alive():
        solver.add_bounds(learned[::7], **sizes(HARD))
        assert len(solver.table_bounds(**sizes(HARD))) >= 0
    search.join()
    assert scores == [-1]


def one(key: int = Position("1").key, score: int = 0, log_nodes: int = 13) -> NDArray[np.void]:
    return np.array([(key, score, False, log_nodes)], dtype=BOUND)


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        (one(key=0), KeyValueError, r"positions\[0\]"),
        (one(key=2**64 - 1), KeyValueError, r"positions\[0\]"),
        (one(score=30), ValueError, "bound 0 is impossible: a score of 30"),
        (one(score=-128), ValueError, "bound 0 is impossible: a score of -128"),
        (one(log_nodes=32), ValueError, r"bound 0 .* after 2\*\*32 nodes"),
        (np.zeros(3), TypeError, r"c4core\.batch\.bound_type"),
        (one()["key"], TypeError, r"c4core\.batch\.bound_type"),
        (one().reshape(1, 1), TypeError, r"c4core\.batch\.bound_type"),
        ([(1, 2, False, 3)], TypeError, r"c4core\.batch\.bound_type"),
    ],
)
def test_bad_bounds_are_refused(
    bounds: NDArray[np.void], error: type[Exception], message: str
) -> None:
    solver = Solver(table_mb=1)
    with pytest.raises(error, match=message):
        solver.add_bounds(bounds)
    assert len(solver.table_bounds(least_nodes=0)) == 0


def test_impossible_boards_are_refused() -> None:
    with pytest.raises(BoardError):
        Solver().table_bounds(width=99)
    with pytest.raises(BoardError):
        Solver().add_bounds(one(), height=0)
