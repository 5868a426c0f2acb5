"""Moves against exact scores: what they gave away, their marks, and accuracy."""

import random

import pytest

from c4core.arena.judging import JudgedMove, judge_move, result_accuracy
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.reference import ReferenceSolver, columns_of
from tests.support.boards.games import random_games


def judged(played: int, scores: tuple[int | None, ...], column: int = 0) -> JudgedMove:
    best = max(score for score in scores if score is not None)
    return JudgedMove(6, "x", column, best, played, scores)


@pytest.mark.parametrize(
    ("played", "scores", "mark"),
    [
        (3, (3, -1, None), "!"),
        (3, (3, 0, 0), "!"),
        (3, (3, 2, 1), ""),  # the only best one, but nothing was at stake
        (3, (3, 3, -1), ""),  # two were best
        (2, (2, 3, 3), "?"),  # a slower win
        (-4, (-4, -2, -2), "?"),  # a quicker loss
        (-2, (-2, -4, -4), ""),  # lost anyway
        (0, (0, 0, 0), ""),
        (0, (0, -1, None), "!"),
        (0, (0, 3, 3), "??"),
        (-1, (-1, 0, 3), "??"),
        (5, (5, None, None), ""),  # the only column there is
    ],
)
def test_marks(played: int, scores: tuple[int | None, ...], mark: str) -> None:
    move = judged(played, scores)
    assert move.mark == mark
    assert move.is_blunder == (mark == "??")
    assert (move.loss > 0) == (mark in ("?", "??"))


def test_best_columns() -> None:
    assert judged(1, (1, None, 2, -3, 2)).best_columns == (2, 4)


def test_accuracy_counts_decisions_only() -> None:
    kept, lost = judged(3, (3, 0)), judged(0, (0, 3))
    slow, nothing = judged(2, (2, 3, 0)), judged(-1, (-1, -1))
    assert result_accuracy([kept, lost, nothing, nothing]) == 50
    assert result_accuracy([kept, kept, slow]) == 100  # a slower win is a win
    assert result_accuracy([lost]) == 0
    assert result_accuracy([nothing]) is None
    assert result_accuracy([]) is None


def test_a_move_without_all_scores_is_not_judged() -> None:
    position = Position("44")
    assert judge_move(position, 0, None) is None
    assert judge_move(position, 0, (1, None, 1, 1, 1, 1, 1)) is None
    known = judge_move(position, 3, (-3, -3, -2, 1, -2, -3, -3))
    assert known is not None
    assert (known.best, known.loss, known.mark) == (1, 0, "!")


def test_moves_of_random_games_against_the_oracle() -> None:
    """The scores of all columns by plain minimax: a move keeps what the best column has."""
    chance = random.Random(4)
    for moves in random_games(8, empty=9, board=BoardSize(4, 4)):
        oracle, position = ReferenceSolver(4), Position(moves, width=4, height=4)
        while not position.is_over:
            column = chance.choice(position.legal_columns())
            scores = oracle.column_scores(columns_of(position))
            move = judge_move(position, column, scores)
            assert move is not None
            assert move.best == oracle.score(columns_of(position))
            assert move.is_best == (column in move.best_columns)
            position = position.play(column)
