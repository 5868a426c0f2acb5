"""Players that look at most one turn ahead, and the random generator behind all players."""

from collections import Counter

import pytest

from c4core import Position
from c4core.dice import Dice
from tests.support.boards.player_positions import counted, grid, named

MASK = 2**64 - 1


def slow_xoshiro(words: list[int]) -> int:
    """A step of the published generator."""

    def rotated(word: int, places: int) -> int:
        return (word << places | word >> (64 - places)) & MASK

    result = rotated(words[1] * 5 & MASK, 7) * 9 & MASK
    shifted = words[1] << 17 & MASK
    words[2] ^= words[0]
    words[3] ^= words[1]
    words[1] ^= words[2]
    words[0] ^= words[3]
    words[2] ^= shifted
    words[3] = rotated(words[3], 45)
    return result


def slow_splitmix(state: list[int]) -> int:
    """A step of the published generator that fills the state."""
    state[0] = (state[0] + 0x9E3779B97F4A7C15) & MASK
    word = state[0]
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def test_the_slow_generators_give_the_published_numbers() -> None:
    words = [1, 2, 3, 4]
    published = [11520, 0, 1509978240, 1215971899390074240]
    assert [slow_xoshiro(words) for _ in published] == published
    assert slow_splitmix([1234567]) == 6457827717110365317


@pytest.mark.parametrize("seed", [0, 1, 2026, 2**64 - 1])
def test_dice_agree_with_the_published_generator(seed: int) -> None:
    state, dice = [seed], Dice(seed)
    words = [slow_splitmix(state) for _ in range(4)]
    assert [dice.unit() for _ in range(50)] == [
        (slow_xoshiro(words) >> 11) / 2**53 for _ in range(50)
    ]


def test_dice_never_change() -> None:
    dice = Dice(2026)
    assert [dice.below(7) for _ in range(12)] == [4, 1, 5, 6, 5, 5, 5, 5, 6, 1, 6, 2]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000])
def test_dice_are_fair(limit: int) -> None:
    dice, draws = Dice(5), 20_000
    counts = Counter(dice.below(limit) for _ in range(draws))
    chi = sum((counts[value] - draws / limit) ** 2 / (draws / limit) for value in range(limit))
    assert chi < limit + 5 * (2 * limit) ** 0.5
    assert set(counts) <= set(range(limit))


def test_dice_shuffle_pick_and_refuse() -> None:
    dice = Dice(3)
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


def test_random_gives_every_column_its_share() -> None:
    counts = counted("random", named("P1"), 7000)
    assert set(counts) == set(range(7))
    assert all(850 < count < 1150 for count in counts.values())


def test_stupid_takes_the_leftmost_column() -> None:
    assert set(counted("stupid", named("P1"), 1)) == {0}
    assert set(counted("stupid", Position("111111"), 1)) == {1}


@pytest.mark.parametrize("fallback", ["vector", "column"])
def test_set_wins_and_blocks(fallback: str) -> None:
    text = f"set:fallback={fallback}"
    assert set(counted(text, named("P1"), 50)) == {2}
    assert set(counted(text, named("P2"), 50)) == {4}
    win_first = grid("......./......./......./......B/......B/RRR...B")
    assert set(counted(text, win_first, 50)) == {3}
    assert counted(text, named("P3"), 300)[3] > 0  # it lets the opponent win there


def test_set_fallback_by_lines() -> None:
    counts = counted("set", Position(), 19_000)
    for column, lines in enumerate((3, 3, 3, 4, 2, 2, 2)):
        assert abs(counts[column] - 1000 * lines) < 250


def test_set_fallback_by_columns() -> None:
    counts = counted("set:fallback=column", Position(), 7000)
    assert all(850 < counts[column] < 1150 for column in range(7))


def test_set_chooses_among_lines_not_columns() -> None:
    # Red completes one line in column 0 and two in column 3.
    position = Position("7211577565221632126713")
    counts = counted("set", position, 3000)
    assert set(counts) == {0, 3}
    assert 1850 < counts[3] < 2150
