"""Guesses find wins in one move, and respect symmetry and proven bounds."""

import pytest

from c4core.estimate import Estimate, estimate
from c4core.position import Position


@pytest.mark.parametrize(("width", "height"), [(7, 6), (8, 8), (10, 7), (4, 31), (31, 3)])
def test_mirror_images_have_mirrored_guesses(width: int, height: int) -> None:
    guess = estimate(Position(board=(width, height)), games=2_000)
    assert guess.columns == guess.columns[::-1]
    assert all(share is not None and 0 <= share <= 1 for share in guess.columns)
    assert guess.share in guess.columns
    position = Position("23114", board=(width, height))
    guess, mirrored = estimate(position, games=500), estimate(position.mirrored(), games=500)
    assert guess == estimate(position, games=500)
    assert (mirrored.share, mirrored.columns) == (guess.share, guess.columns[::-1])


def test_a_win_in_one_move_is_found_and_a_full_column_has_no_share() -> None:
    guess = estimate(Position("111111112233", board="8x8"), games=1_000)
    assert guess.columns[0] is None
    assert max(share for share in guess.columns if share is not None) == guess.columns[3]
    assert guess.share == guess.columns[3] > 0.99


def test_a_guess_does_not_contradict_proven_bounds() -> None:
    for share, lower, upper, shown, favoured in (
        (0.7, -3, 5, 0.7, "win"),
        (0.7, -3, 0, 0.5, None),
        (0.55, -3, 5, 0.55, None),
        (0.45, -3, 5, 0.45, None),
        (0.3, -3, 5, 0.3, "loss"),
        (0.3, 0, 5, 0.5, None),
    ):
        guess = Estimate(share, (0.7, None)).within(lower, upper, ((-3, 0), None))
        assert (guess.share, guess.favoured) == (shown, favoured)
        assert guess.columns == (0.5, None)
    assert Estimate(0.7, (), published=-2).favoured == "loss"
    assert Estimate(0.7, (), published=0).favoured is None


def test_finished_games_and_no_games_are_refused() -> None:
    with pytest.raises(ValueError, match="over"):
        estimate(Position("1212121"))
    with pytest.raises(ValueError, match="at least one"):
        estimate(Position(), games=0)
