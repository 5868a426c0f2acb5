"""The columns of a data set: what the engine, the slow solver and plain Python say of positions."""

from typing import Any

import numpy as np
import pytest

from c4core import Position
from c4core.batch import UNPLAYABLE
from c4core.dataset.errors import DatasetError
from c4core.dataset.lots import SPLITS, are_mirrored
from c4core.dataset.records import line_to
from c4core.reference import ReferenceSolver, columns_of
from tests.support.boards.datasets import SMALL, made, recipe

PARTS, CARD = made(recipe())
SLOW = ReferenceSolver(SMALL.height)


def rows() -> list[dict[str, object]]:
    """All positions, a dictionary each."""
    return [
        {name: array[index] for name, array in records.items()}
        for records in PARTS.values()
        for index in range(len(records["key"]))
    ]


def shown(row: dict[str, object]) -> Position:
    """The position as the moves show it."""
    moves = row["moves"]
    assert isinstance(moves, bytes)
    return Position(moves.decode(), width=SMALL.width, height=SMALL.height)


@pytest.mark.parametrize("row", rows()[::10])
def test_labels_are_those_of_the_slow_solver(row: dict[str, Any]) -> None:
    position = shown(row)
    found = [None if score == UNPLAYABLE else score for score in row["column_scores"].tolist()]
    if position.ply >= 9:  # it is very slow
        assert found == list(SLOW.column_scores(columns_of(position)))
    best = max(score for score in found if score is not None)
    assert row["score"] == best
    assert row["value"] == (best > 0) - (best < 0)
    assert row["best"].tolist() == [int(score == best) for score in found]


def test_positions_are_shown_alike() -> None:
    for row in rows():
        position = shown(row)
        planes = row["planes"]
        assert isinstance(planes, np.ndarray)
        other = "o" if position.turn == "x" else "x"
        for plane, side in enumerate((position.turn, other)):
            assert [
                [position.stone_at(column, level) == side for column in range(SMALL.width)]
                for level in range(SMALL.height)
            ] == planes[plane].astype(bool).tolist()
        assert (position.ply, position.ply % 2) == (row["ply"], row["side"])
        assert position.canonical_key == row["key"]
        assert not position.is_over


def test_half_of_them_are_mirrored() -> None:
    lopsided = [row for row in rows() if shown(row).mirrored().key != shown(row).key]
    mirrored = [shown(row).key != row["key"] for row in lopsided]
    keys = np.array([row["key"] for row in lopsided], dtype=np.uint64)
    assert mirrored == are_mirrored(keys, 1).tolist()
    assert 0.3 < np.mean(mirrored) < 0.7


def test_the_card_counts_what_is_there() -> None:
    for name in SPLITS:
        part = CARD["splits"][name]
        values = PARTS[name]["value"].tolist()
        assert part["positions"] == len(values)
        assert [part[each] for each in ("win", "draw", "loss")] == [
            values.count(value) for value in (1, 0, -1)
        ]
        assert sum(row["positions"] for row in part["plies"]) == len(values)
    assert CARD["positions"] == 200 == len(rows())
    assert CARD["drawn"] == 200 + CARD["duplicates"]


def test_a_line_that_has_to_be_searched_for() -> None:
    # Taking the leftmost stone first comes to a dead end.
    for moves in ("1223344", "4433221", "1234567", "4444441", "12345673"):
        position = Position(moves)
        assert Position(line_to(position)) == position
    assert line_to(Position()) == ""


def test_no_line_leads_there() -> None:
    # Nobody can have begun.
    buried = Position.from_grid(".......\n.......\n.......\n.......\nxx.....\noo.....")
    with pytest.raises(DatasetError, match="no line of moves"):
        line_to(buried)
