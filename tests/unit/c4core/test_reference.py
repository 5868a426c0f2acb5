"""The oracle itself, against values that are known from elsewhere."""

import pytest

from c4core import Position
from c4core.reference import columns_of, has_won, reference_score, reference_scores
from tests.support.boards.oracle import whole_4x4


def test_the_empty_4x4_board_is_a_draw_over_161029_positions() -> None:
    solver = whole_4x4()
    assert solver.score(("",) * 4) == 0
    assert len(solver.known) == 161_029


@pytest.mark.parametrize(
    ("columns", "side", "won"),
    [
        (("xxxx", "", "", ""), "x", True),
        (("x", "x", "x", "x"), "x", True),
        (("x", "ox", "oox", "ooox"), "x", True),
        (("ooox", "oox", "ox", "x"), "x", True),
        (("xxxo", "", "", ""), "x", False),
        (("x", "x", "x", "o", "x"), "x", False),
    ],
)
def test_lines(columns: tuple[str, ...], side: str, won: bool) -> None:  # noqa: FBT001
    assert has_won(columns, side) is won


def test_scores_by_the_definition() -> None:
    # x wins with his fourth stone, made when 6 stones were on the board: (42 + 1 - 6) // 2.
    assert columns_of(Position("121212"))[0] == "xxx"
    assert reference_scores(Position("4444", width=4, height=4))[3] is None
    assert reference_score(Position("1212121")) == -18


def test_a_finished_game_has_no_columns() -> None:
    assert reference_scores(Position("1212121")) == (None,) * 7
