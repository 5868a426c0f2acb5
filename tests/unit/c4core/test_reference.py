"""The oracle itself, compared with published values."""

import pytest

from c4core import Position
from tests.support.boards.exhaustive import exhaustive_scores
from tests.support.boards.reference import (
    ReferenceSolver,
    columns_of,
    has_won,
    reference_score,
    reference_scores,
)


def test_scores_of_every_position_of_4x2() -> None:
    """tests/release/long/ visits all 4x4 positions."""
    oracle = ReferenceSolver(2)
    oracle.score(("",) * 4)
    visited = {
        Position.from_key(key, width=4, height=2): score
        for keys, scores in exhaustive_scores(4, 2)
        for key, score in zip(keys.tolist(), scores.tolist(), strict=True)
    }
    for position, score in visited.items():
        for image in (position, position.mirrored()):
            assert oracle.known[columns_of(image)] == score
    images = {image for position in visited for image in (position, position.mirrored())}
    assert len(oracle.known) == len(images)


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


def test_scores_follow_the_definition() -> None:
    # x wins with his fourth stone, made when 6 stones were on the board: (42 + 1 - 6) // 2.
    assert columns_of(Position("121212"))[0] == "xxx"
    assert reference_scores(Position("44443333", width=4, height=4))[3] is None
    assert reference_score(Position("1212121")) == -18


def test_a_finished_game_has_no_columns() -> None:
    assert reference_scores(Position("1212121")) == (None,) * 7
