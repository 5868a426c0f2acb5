"""The columns of a data set: the engine, the slow solver and plain Python agree."""

from typing import Any

import numpy as np
import pytest

from c4core import BoardSize, Position, Solver
from c4core.dataset.card import census
from c4core.dataset.lots import are_mirrored
from c4core.dataset.records import are_decisive, are_quiet, distances, line_to
from c4core.errors import DatasetError
from c4core.evaluation import NO_SCORE, plies_to_end, score_limits
from c4core.players.heuristics import winning_columns
from tests.support.boards.datasets import made, recipe
from tests.support.boards.games import SMALL
from tests.support.boards.reference import ReferenceSolver, columns_of

PARTS, CARD = made(recipe(count=300))
SLOW = ReferenceSolver(SMALL.height)


def rows() -> list[dict[str, Any]]:
    return [
        {name: array[index] for name, array in records.items()}
        for records in PARTS.values()
        for index in range(len(records["key"]))
    ]


def shown(row: dict[str, Any]) -> Position:
    return Position(row["moves"].decode(), board=SMALL)


@pytest.mark.parametrize("row", rows()[::15])
def test_labels_agree_with_the_slow_solver(row: dict[str, Any]) -> None:
    position = shown(row)
    found = [None if score == NO_SCORE else score for score in row["column_scores"].tolist()]
    if position.ply >= 9:  # it is very slow
        assert found == list(SLOW.column_scores(columns_of(position)))
    best = max(score for score in found if score is not None)
    assert row["score"] == best
    assert row["value"] == (best > 0) - (best < 0)
    assert row["best"].tolist() == [int(score == best) for score in found]


def test_all_representations_show_the_same_position() -> None:
    for row in rows():
        position = shown(row)
        sides = (position.turn, "o" if position.turn == "x" else "x")
        assert row["planes"].tolist() == [
            [
                [position.stone_at(column, level) == side for column in range(SMALL.width)]
                for level in range(SMALL.height)
            ]
            for side in sides
        ]
        assert (position.ply, position.ply % 2) == (row["ply"], row["side"])
        assert position.canonical_key == row["key"]
        assert not position.is_over


def test_about_half_of_the_positions_are_mirrored() -> None:
    lopsided = [row for row in rows() if shown(row).mirrored().key != shown(row).key]
    mirrored = [shown(row).key != row["key"] for row in lopsided]
    keys = np.array([row["key"] for row in lopsided], dtype=np.uint64)
    assert mirrored == are_mirrored(keys, 1).tolist()
    assert 0.3 < np.mean(mirrored) < 0.7


def test_the_card_counts_every_kind_of_position() -> None:
    for name, records in PARTS.items():
        part, values = CARD.splits[name], records["value"].tolist()
        assert part == census(records)
        assert part["positions"] == len(values)
        assert [part[each] for each in ("win", "draw", "loss")] == [
            values.count(value) for value in (1, 0, -1)
        ]
        assert part["forced_block"] == part["positions"] - part["quiet"] - part["win_in_one"]
        assert part["quiet_decisive"] <= min(part["quiet"], part["decisive"])
        for kind in ("positions", "win_in_one", "quiet", "decisive"):
            assert part[kind] == sum(row[kind] for row in part["plies"]) > 0
    assert CARD.positions == 300 == len(rows())
    assert CARD.drawn == 300 + CARD.duplicates


def test_a_line_may_need_a_search() -> None:
    # Always taking the leftmost stone leads to a dead end.
    for moves in ("", "1223344", "4433221", "1234567", "4444441", "12345673"):
        assert Position(line_to(Position(moves))) == Position(moves)
    # Neither player can have moved first here.
    buried = Position.from_grid(".......\n.......\n.......\n.......\nxx.....\noo.....")
    with pytest.raises(DatasetError, match="no line of moves"):
        line_to(buried)


@pytest.mark.parametrize("board", [BoardSize(7, 6), BoardSize(5, 4), BoardSize(5, 5)])
def test_distances_agree_with_the_engine(board: BoardSize) -> None:
    cases = [
        (score, ply)
        for ply in range(board.cells)
        for score in range(score_limits(ply, board)[0], score_limits(ply, board)[1] + 1)
    ]
    scores, plies = (np.array(column) for column in zip(*cases, strict=True))
    found = distances(scores.astype(np.int8), plies.astype(np.uint8), board)
    assert found.tolist() == [plies_to_end(score, ply, board) for score, ply in cases]


def test_distance_and_traits_agree_with_plain_python() -> None:
    for index, row in enumerate(rows()):
        position = Position.from_key(int(row["key"]), board=SMALL)
        if index % 12 == 0:
            line = Solver(table_mb=1).principal_variation(position)
            assert len(line) == row["distance"]
        assert row["quiet"] == (not any(winning_columns(position, side) for side in "xo"))
        values = {np.sign(score) for score in row["column_scores"].tolist() if score != NO_SCORE}
        assert row["decisive"] == (len(values) > 1)


def test_flags_of_known_positions() -> None:
    keys = [Position(moves).canonical_key for moves in ("", "112233", "112243", "445")]
    assert are_quiet(np.array(keys, dtype=np.uint64), BoardSize(7, 6)).tolist() == [
        True, False, True, True,
    ]  # fmt: skip
    scores = [[1, 2, -128], [0, 1, -128], [-3, -1, -128], [0, 0, -128], [-128, -128, 5]]
    assert are_decisive(np.array(scores, dtype=np.int8)).tolist() == [False, True, *[False] * 3]
