"""Moves against exact scores: points lost, marks, and accuracy."""

import pytest

from c4core.arena.judging import JudgedMove, best_share, judge_move, result_accuracy
from c4core.position import Position


def judged(played: int, scores: tuple[int | None, ...], column: int = 0) -> JudgedMove:
    best = max(score for score in scores if score is not None)
    return JudgedMove(6, "x", column, best, played, scores)


@pytest.mark.parametrize(
    ("played", "scores", "mark"),
    [
        (3, (3, -1, 0), "!"),
        (3, (3, 0, 0), "!"),
        (3, (3, -1, None), ""),  # only one other column was open
        (3, (3, 0, 1), ""),  # a slower win was a win
        (3, (3, 2, 1), ""),  # the only best move, but nothing was at stake
        (3, (3, 3, -1), ""),  # two were best
        (2, (2, 3, 3), "?"),  # slower win
        (-4, (-4, -2, -2), "?"),  # quicker loss
        (-2, (-2, -4, -4), ""),  # lost anyway
        (0, (0, 0, 0), ""),
        (0, (0, -1, -1), "!"),
        (0, (0, 3, 3), "??"),
        (-1, (-1, 0, 3), "??"),
        (5, (5, None, None), ""),  # the only open column
    ],
)
def test_marks(played: int, scores: tuple[int | None, ...], mark: str) -> None:
    move = judged(played, scores)
    assert move.mark == mark
    assert move.is_blunder == (mark == "??")
    assert (move.loss > 0) == (mark in ("?", "??"))


def test_best_columns() -> None:
    scores = (1, None, 2, -3, 2)
    assert judged(1, scores).best_columns == (2, 4)
    assert (judged(1, scores).is_best, judged(2, scores, column=4).is_best) == (False, True)


def test_accuracy_and_share_of_best_moves_count_decisions_only() -> None:
    kept, lost = judged(3, (3, 0)), judged(0, (0, 3))
    slow, nothing = judged(2, (2, 3, 0)), judged(-1, (-1, -1))
    assert result_accuracy([kept, lost, nothing, nothing]) == 50
    assert result_accuracy([kept, kept, slow]) == 100  # a slower win is a win
    assert result_accuracy([lost]) == 0
    assert result_accuracy([nothing]) is None
    assert result_accuracy([]) is None
    assert best_share([kept, slow, nothing]) == 50
    assert best_share([kept, nothing]) == 100
    assert best_share([nothing]) is None


def test_a_move_without_complete_scores_is_not_judged() -> None:
    position = Position("44")
    assert judge_move(position, 0, None) is None
    assert judge_move(position, 0, (1, None, 1, 1, 1, 1, 1)) is None
    known = judge_move(position, 3, (-3, -3, -2, 1, -2, -3, -3))
    assert known is not None
    assert (known.best, known.loss) == (1, 0)


@pytest.mark.parametrize(
    ("moves", "scores", "mark"),
    [
        ("44455255", (-3, -3, -2, 1, -2, -3, -3), "!"),
        ("4445525", (-3, -3, -2, 1, -2, -3, -3), ""),  # seven stones: the opening
        ("44455255", (0, 0, 0, 17, 0, 0, 0), ""),  # wins at once
        ("44455255", (0, 0, 0, 16, 0, 0, 0), "!"),  # wins one stone later
        ("44455255", (-17, -17, -17, 0, -17, -17, -17), ""),  # the others lose at once
        ("44455255", (-17, -16, -17, 0, -17, -17, -17), "!"),  # one does not lose at once
    ],
)
def test_an_obvious_move_is_not_praised(moves: str, scores: tuple[int, ...], mark: str) -> None:
    move = judge_move(Position(moves), 3, scores)
    assert move is not None
    assert move.mark == mark
