"""Expected costs: an estimate at first, later the measured means."""

import itertools

import pytest

from c4core.book import Book
from c4core.notation import DEFAULT_BOARD, BoardSize
from db.records.evaluations import Cost
from workers.answers.question import Question, plies_answered
from workers.core.costs import GUESS_POSITIONS, CostModel

GUESS = CostModel(DEFAULT_BOARD)


@pytest.mark.parametrize("board", [BoardSize(1, 1), BoardSize(9, 6), BoardSize(16, 3)])
def test_every_ply_of_every_board_has_a_cost(board: BoardSize) -> None:
    model = CostModel(board)
    costs = [model.seconds(ply) for ply in range(board.width * board.height + 1)]
    assert all(cost > 0 for cost in costs)
    assert costs == sorted(costs, reverse=True)


def test_many_measurements_outweigh_the_estimate() -> None:
    def seconds(number: float, mean: float) -> float:
        cost = Cost(int(number), number * mean)
        return CostModel(DEFAULT_BOARD, {12: cost}).seconds(12)

    guess = GUESS.seconds(12)
    assert seconds(100_000, 0.5) == pytest.approx(0.5, rel=0.01)
    assert guess < seconds(1, 100 * guess) < 2 * guess
    assert seconds(GUESS_POSITIONS, 100 * guess) == pytest.approx(10 * guess)
    assert 0 < seconds(10_000, 0.0) < 1e-5  # cheap, and not free
    # Bad measurements are ignored.
    model = CostModel(DEFAULT_BOARD, {99: Cost(10, 1.0), -1: Cost(10, 1.0), 12: Cost(0, 0.0)})
    assert model.seconds(12) == guess
    assert CostModel(DEFAULT_BOARD, columns=False).seconds(8) < GUESS.seconds(8)


def test_the_influence_of_other_plies_decreases_with_distance() -> None:
    slow = {20: Cost(1000, 1000 * 10 * GUESS.seconds(20))}
    model = CostModel(DEFAULT_BOARD, slow)
    factors = [model.seconds(ply) / GUESS.seconds(ply) for ply in range(20, 43)]
    assert factors[0] == pytest.approx(10, rel=0.05)
    assert all(before > after for before, after in itertools.pairwise(factors))
    assert factors[-1] == pytest.approx(1, abs=0.01)


def test_positions_in_a_book_cost_almost_nothing() -> None:
    shipped = Book.shipped()
    columns, scores = Question(), Question(columns=False)
    assert list(plies_answered(shipped, columns)) == list(range(12))
    assert list(plies_answered(shipped, scores)) == list(range(13))
    assert not plies_answered(None, columns)
    model = CostModel(DEFAULT_BOARD, answered=plies_answered(shipped, columns))
    assert model.seconds(11) < 1e-4 < 100 * model.seconds(11) < model.seconds(12)
    assert model.seconds(12) == GUESS.seconds(12)
