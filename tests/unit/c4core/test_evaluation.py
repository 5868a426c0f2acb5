"""What scores, bounds and distances mean."""

import pytest

from c4core import Analysis, Evaluation, Position
from c4core.evaluation import final_score, plies_to_end, score_limits


def test_exact_only_when_the_bounds_meet() -> None:
    assert Evaluation(3, 3).score == 3
    assert Evaluation(3, 3).is_exact
    assert Evaluation(1, 18).score is None


@pytest.mark.parametrize(
    ("lower", "upper", "value"),
    [(1, 18, "win"), (-18, -1, "loss"), (0, 0, "draw"), (0, 3, None), (-1, 1, None)],
)
def test_value_follows_from_the_bounds(lower: int, upper: int, value: str | None) -> None:
    assert Evaluation(lower, upper).value == value


def test_best_columns() -> None:
    analysis = Analysis((None, 1, -2, 1), lower=1, upper=1)
    assert analysis.best == (1, 3)
    assert Analysis((None, 1, -2, 1), lower=1, upper=4).best == ()


@pytest.mark.parametrize(
    ("score", "ply", "plies"),
    [
        (1, 0, 41),  # the empty board: the first player wins with his last stone
        (0, 0, 42),
        (-1, 1, 40),  # after the best first move
        (18, 6, 1),  # wins with the fourth own stone
        (-18, 7, 0),  # has just lost
        (1, 40, 1),
        (-1, 42, 0),
    ],
)
def test_distance_to_the_end(score: int, ply: int, plies: int) -> None:
    assert plies_to_end(score, ply, 7, 6) == plies


def test_score_of_a_finished_game() -> None:
    assert final_score(Position("1212121")) == -18
    assert final_score(Position("1122334", height=4)) == -11
    assert final_score(Position("4441422211321333", width=4, height=4)) == 0


def test_limits() -> None:
    assert score_limits(0, 7, 6) == (-21, 21)
    assert score_limits(41, 7, 6) == (0, 1)
    assert score_limits(42, 7, 6) == (0, 0)
