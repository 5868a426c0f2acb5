"""Players that look at most one turn ahead, and the random generator behind all players."""

from collections import Counter

import pytest

from c4core import Position
from c4core.dice import Dice
from tests.support.boards.player_positions import choices, counted, grid, named


def test_dice_never_change() -> None:
    """They follow the published generators: xoshiro256**, with a state filled by splitmix64."""
    first = {
        seed: [int(dice.unit() * 2**53) for _ in range(3)]
        for seed in (0, 1, 2026, 2**64 - 1)
        for dice in [Dice(seed)]
    }
    assert first == {
        0: [5415695640260286, 6735350249106120, 927921571702396],
        1: [6331357011769570, 4687676335253193, 5171084433360200],
        2026: [5167713964380949, 2555157423173027, 7318434303161243],
        2**64 - 1: [5043065146658773, 6912440677258288, 4569322158181384],
    }
    dice = Dice(2026)
    assert [dice.below(7) for _ in range(12)] == [4, 1, 5, 6, 5, 5, 5, 5, 6, 1, 6, 2]


def test_dice_shuffle_pick_and_refuse() -> None:
    dice = Dice(3)
    assert {dice.below(1) for _ in range(9)} == {0}
    assert {dice.below(3) for _ in range(99)} == {0, 1, 2}
    orders = Counter(tuple(dice.shuffled("abc")) for _ in range(6000))
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())
    assert 0.45 < sum(dice.unit() for _ in range(2000)) / 2000 < 0.55
    with pytest.raises(ValueError, match="limit must be at least 1, not 0"):
        dice.below(0)
    with pytest.raises(ValueError, match="nothing to pick from"):
        dice.pick([])
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match=r"outside 0 to 2\^64 - 1"):
            Dice(seed)


def test_random_and_stupid() -> None:
    counts = counted("random", named("P1"), 7000)
    assert set(counts) == set(range(7))
    assert all(850 < count < 1150 for count in counts.values())
    assert choices("stupid", named("P1")) == {0}
    assert choices("stupid", Position("111111")) == {1}


@pytest.mark.parametrize("fallback", ["vector", "column"])
def test_set_wins_before_it_blocks(fallback: str) -> None:
    text = f"set:fallback={fallback}"
    win_first = grid("......./......./......./......./......B/......B/RRR...B")
    assert choices(text, win_first, 50) == {3}
    assert 3 in choices(text, named("P3"), 300)  # it lets the opponent win there


def test_set_chooses_among_lines_or_columns() -> None:
    counts = counted("set", Position(), 19_000)
    for column, lines in enumerate((3, 3, 3, 4, 2, 2, 2)):
        assert abs(counts[column] - 1000 * lines) < 250
    counts = counted("set:fallback=column", Position(), 7000)
    assert all(850 < counts[column] < 1150 for column in range(7))
    # Red completes one line in column 0 and two in column 3.
    counts = counted("set", Position("7211577565221632126713"), 3000)
    assert set(counts) == {0, 3}
    assert 1850 < counts[3] < 2150
