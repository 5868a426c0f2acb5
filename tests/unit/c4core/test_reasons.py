"""Reasons for moves: the words of each kind, and a proof that refuses false reasons."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings

from c4core import Position, Solver
from c4core.reasons import Reason, explain
from tests.support.boards.positions import games
from tests.support.boards.reasons import is_proven

SOLVER = Solver(table_mb=16, threads=1)


def _explained(moves: str, column: int) -> Reason:
    position = Position(moves)
    score = SOLVER.analyze(position).scores[column - 1]
    assert score is not None
    line = SOLVER.principal_variation(position.play(column - 1))
    reason = explain(position, column - 1, score, line)
    assert reason is not None
    assert is_proven(reason, position)
    return reason


@pytest.mark.parametrize(
    ("moves", "column", "text"),
    [
        ("443526", 1, "Column 1 completes a1-d1."),
        ("4433", 5, "Column 5 makes two threats at once: columns 2 and 6."),
        ("445", 5, "Column 5 lets x win with 3: x makes two threats at once: columns 2 and 6."),
        ("4444443265163123", 2, "Column 2 lets o complete b4-e1 on top of it."),
        ("1122337", 7, "Column 7 lets x complete a1-d1."),
        (
            "4443333646443266653217",
            1,
            (
                "Column 1 loses by force: 2 forces 2, then 5 makes two threats at once: "
                "columns 5 and 7."
            ),
        ),
        (
            "44455552424456222352666661",
            7,
            "Column 7 lets o win with 1: o makes two threats, one above the other in column 3.",
        ),
        (
            "4766536546321175332552",
            5,
            (
                "Column 5 lets o win with 2: o holds the even threat d4, answers in the same "
                "column, and x runs out of other moves."
            ),
        ),
        (
            "4444443265163123",
            1,
            (
                "Column 1 loses: after 9 more moves of best play, o holds b4 and g2, answers in "
                "the same column, and x runs out of other moves."
            ),
        ),
        (
            "4443333646443266653217",
            7,
            (
                "Column 7 wins: after 2 more moves of best play, x answers each move in the same "
                "column and completes four."
            ),
        ),
    ],
)
def test_the_reason_of_a_move(moves: str, column: int, text: str) -> None:
    assert _explained(moves, column).text == text


def test_a_move_that_stops_a_four() -> None:
    position = Position("12131")
    reason = explain(position, 0, 0)
    assert reason is not None
    assert reason.text == "Column 1 stops x's four at a4."
    assert is_proven(reason, position)


def test_columns_of_a_wide_board_are_numbers() -> None:
    position = Position.from_columns([30, 30, 31, 31], board="40x2")
    reason = explain(position, 32, 10)
    assert reason is not None
    assert reason.text == "Column 33 makes two threats at once: columns 30 and 34."
    assert is_proven(reason, position)


def test_a_position_without_a_short_reason_has_none() -> None:
    assert explain(Position(""), 0, -2) is None
    assert explain(Position(""), 2, 0) is None


@pytest.mark.parametrize(
    ("moves", "false"),
    [
        ("4433", {"columns": (1, 6)}),
        ("4433", {"columns": (1,)}),
        ("4433", {"moves": (3,)}),
        ("4433", {"side": "o"}),
        ("44", {}),
        ("4433", {"kind": "forced", "moves": (4, 1, 5)}),
        ("4433", {"kind": "waits", "squares": ((0, 5),)}),
        ("4433", {"kind": "stops", "squares": ((4, 0),)}),
        ("4433", {"kind": "four", "squares": ((2, 0), (3, 0), (4, 0), (5, 0))}),
        ("4433", {"moves": (4, 4, 4, 4, 4, 4, 4)}),
    ],
)
def test_a_false_reason_is_not_proven(moves: str, false: dict[str, Any]) -> None:
    true = Reason("two_threats", "x", (4,), (1, 5))
    assert is_proven(true, Position("4433"))
    assert not is_proven(replace(true, **false), Position(moves))


@settings(max_examples=60, deadline=None)
@given(games(sizes=[(5, 4), (6, 5), (7, 6)], max_empty=30))
def test_a_decided_move_has_a_proven_reason(game: tuple[Position, str]) -> None:
    position, _ = game
    assume(not position.is_over)
    for column, score in enumerate(SOLVER.analyze(position).scores):
        if score is None:
            continue
        line = SOLVER.principal_variation(position.play(column))
        reason = explain(position, column, score, line)
        assert reason is None or is_proven(reason, position)
        if score and (reason is None or reason.kind != "stops"):
            assert reason is not None
            assert (reason.side == position.turn) == (score > 0)
