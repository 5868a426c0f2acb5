"""Distances and traits of positions, held against plain Python."""

import numpy as np
import pytest

from c4core import BoardSize, Position, Solver
from c4core.batch import UNPLAYABLE
from c4core.dataset.card.census import census
from c4core.dataset.records import COLUMNS, columns_of, make_records
from c4core.dataset.traits import are_decisive, are_quiet, distances
from c4core.evaluation import plies_to_end, score_limits
from c4core.players.heuristics import winning_columns
from tests.support.boards.datasets import SMALL, made, recipe

PARTS, CARD = made(recipe(count=300))


@pytest.mark.parametrize("board", [BoardSize(7, 6), BoardSize(5, 4), BoardSize(5, 5)])
def test_distances_are_those_of_the_engine(board: BoardSize) -> None:
    cases = [
        (score, ply)
        for ply in range(board.cells)
        for score in range(score_limits(ply, *board)[0], score_limits(ply, *board)[1] + 1)
    ]
    scores, plies = (np.array(column) for column in zip(*cases, strict=True))
    found = distances(scores.astype(np.int8), plies.astype(np.uint8), board)
    assert found.tolist() == [plies_to_end(score, ply, *board) for score, ply in cases]


def test_a_game_that_is_played_for_its_score_has_this_length() -> None:
    records = PARTS["train"]
    for key, distance in list(zip(records["key"], records["distance"], strict=True))[::8]:
        position = Position.from_key(int(key), width=SMALL.width, height=SMALL.height)
        assert len(Solver(table_mb=1).principal_variation(position)) == distance


def test_traits_are_those_of_plain_python() -> None:
    for records in PARTS.values():
        for key, quiet, decisive, scores in zip(
            *(records[name] for name in ("key", "quiet", "decisive", "column_scores")), strict=True
        ):
            position = Position.from_key(int(key), width=SMALL.width, height=SMALL.height)
            assert quiet == (not any(winning_columns(position, side) for side in "xo"))
            values = {np.sign(score) for score in scores.tolist() if score != UNPLAYABLE}
            assert decisive == (len(values) > 1)


def test_flags_of_known_positions() -> None:
    keys = [Position(moves).canonical_key for moves in ("", "112233", "112243", "445")]
    assert are_quiet(np.array(keys, dtype=np.uint64), BoardSize(7, 6)).tolist() == [
        True, False, True, True,
    ]  # fmt: skip
    scores = [[1, 2, -128], [0, 1, -128], [-3, -1, -128], [0, 0, -128], [-128, -128, 5]]
    assert are_decisive(np.array(scores, dtype=np.int8)).tolist() == [False, True, *[False] * 3]


def test_a_census_counts_every_kind() -> None:
    for name, records in PARTS.items():
        part = CARD["splits"][name]
        assert part == census(records)
        forced = part["positions"] - part["quiet"] - part["win_in_one"]
        assert part["forced_block"] == forced
        assert part["quiet_decisive"] <= min(part["quiet"], part["decisive"])
        for kind in ("win_in_one", "quiet", "decisive"):
            assert part[kind] == sum(row[kind] for row in part["plies"]) > 0


def test_cards_of_format_1_have_the_columns_of_their_time() -> None:
    names = [column.name for column in columns_of(["planes"], card_format=1)]
    assert names == ["planes", "ply", "side", "key", "score", "value", "column_scores", "best"]
    old = make_records(
        np.array([Position().canonical_key], dtype=np.uint64),
        np.array([[-2, -1, 0, 1, 0, -1, -2]], dtype=np.int8),
        board=BoardSize(7, 6),
        seed=1,
        representations=["planes"],
        card_format=1,
    )
    assert list(old) == names
    assert all(column.unit for column in COLUMNS)
