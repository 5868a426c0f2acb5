"""Worked examples of every heuristic; tests/property covers all positions."""

import pytest

from c4core import Position
from c4core.players.heuristics import FEATURES_LIMIT, heuristic_value
from tests.support.boards.player_positions import grid, named


@pytest.mark.parametrize(
    ("heuristic", "values"),
    [
        ("groups", {"E1": 1, "E4": 0, "E5": -14}),
        ("threats", {"E1": 100, "E4": 0, "E5": -100}),
        ("both", {"E1": 101, "E4": 0, "E5": -114}),
        # The source gives red's and blue's scores separately; here they appear as differences. In
        # the pair of two red stones, a distant blue stone is added and its own score subtracted.
        ("runs", {"P1": 20 - 14, "P2": 12 - 20, "P3": 16 - 24}),
        ("squares", {"P1": 3, "P2": -2, "P3": -7, "P4": -3, "P5": -9, "P6": 5}),
    ],
)
def test_worked_examples(heuristic: str, values: dict[str, int]) -> None:
    for name, value in values.items():
        assert heuristic_value(named(name), "x", heuristic) == value
        assert heuristic_value(named(name), "o", heuristic) == -value


def test_runs_of_a_single_stone() -> None:
    stones = [Position.from_columns([column]) for column in range(7)]
    both_ways = [heuristic_value(stone, "x", "runs") for stone in stones]
    assert both_ways == [6, 6, 6, 8, 6, 6, 6]


@pytest.mark.parametrize(("name", "red", "blue"), [("P1", 10, -2), ("P5", 19, 17)])
def test_window_scores(name: str, red: int, blue: int) -> None:
    assert heuristic_value(named(name), "x", "windows") == red
    assert heuristic_value(named(name), "o", "windows") == blue


@pytest.mark.parametrize(
    ("text", "features", "value"),
    [
        # F1: four connected.
        ("......./......./......./B....../B....../BRRRR..", "1", FEATURES_LIMIT),
        # F2: three with both ends playable, one end playable, none.
        ("......./......./......./......./......./.RRR.BB", "2", FEATURES_LIMIT - 1),
        ("......./......./......./......./......./BRRR.B.", "2", 900_000),
        ("......./......./......./......./......./BRRRB..", "2", 0),
        # Two and one with a playable gap.
        ("......./......./......./......./......./BRR.RB.", "2", 900_000),
        # F3: both ends playable; one end, by the free squares on that side.
        ("......./......./......./......./......./..RR..B", "3", 50_000),
        ("......./......./......./......./B....../RR.....", "3", 40_000),
        ("......./......./......./......./......B/RR....B", "3", 30_000 - 30_000),
        ("......./......./......./......./......./RR...BB", "3", 0),
        ("......./......./......./......./B....../RR..B..", "3", 10_000),
        # F4: single stones by column.
        ("......./......./......./......./......./R.....B", "4", 0),
        ("......./......./......./......./......./...R..B", "4", 200 - 40),
        ("......./......./......./......./......./B.R....", "4", 120 - 40),
        ("......./......./......./......./......./BR.....", "4", 70 - 40),
    ],
)
def test_features(text: str, features: str, value: int) -> None:
    position = grid(text)
    assert heuristic_value(position, "x", "features", features=features) == value
    assert heuristic_value(position, "o", "features", features=features) == -value


def test_unknown_names_are_reported() -> None:
    with pytest.raises(ValueError, match="no heuristic is called 'best': groups, threats"):
        heuristic_value(Position(), "x", "best")
    with pytest.raises(ValueError, match="no side is called 'red'"):
        heuristic_value(Position(), "red", "groups")
    with pytest.raises(ValueError, match="no feature is called '5'"):
        heuristic_value(Position(), "x", "features", features="15")
