"""Positions and final grids as arrays, without PyTorch."""

import io

import numpy as np
from syrupy.assertion import SnapshotAssertion

from c4core.arena.file_formats import csv_line, csv_names
from c4core.models.labels import labelled, play_finals, read_finals
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.players import FinalGrids
from tests.support.boards.finished_games import finished_games
from tests.support.refusals import refusal


def test_players_swap_roles_at_random() -> None:
    finals = FinalGrids.from_positions([entry.final for entry in finished_games(400)])
    games = labelled(finals, seed=3)
    first, second, winner = finals.words()
    assert len(games) <= len(finals)
    by_grid = {}
    for words in zip(first.tolist(), second.tolist(), winner.tolist(), strict=True):
        by_grid[words[:2]] = words[2]
    begun = 0
    for grid, won in zip(games.grids[:, 0, ::-1], games.won, strict=True):
        one, other = (
            sum(1 << (int(c) * 7 + int(r)) for r, c in zip(*np.nonzero(grid == sign), strict=True))
            for sign in (1, -1)
        )
        if (one, other) in by_grid:
            begun += 1
            assert won == (by_grid[one, other] == 1)
        else:
            assert won == (by_grid[other, one] == -1)
    assert 0.4 < begun / len(games) < 0.6
    again = labelled(finals, seed=3)
    assert again.fingerprint == games.fingerprint
    assert labelled(finals, seed=4).fingerprint != games.fingerprint
    # Repeated grids are dropped.
    some = [entry.final for entry in finished_games(50)]
    repeated = labelled(FinalGrids.from_positions(some * 40), seed=1)
    assert len(repeated) == len({(str(final), sign) for final in some for sign in (1, -1)})


def test_the_same_seed_gives_the_same_games() -> None:
    told: list[int] = []
    one = play_finals(600, seed=5, tell=told.append)
    assert told == [0, 500, 600]
    same, other = play_finals(600, seed=5), play_finals(600, seed=6)
    assert [part.tolist() for part in one.words()] == [part.tolist() for part in same.words()]
    assert one.words()[0].tolist() != other.words()[0].tolist()
    assert {-1, 1} <= set(one.words()[2].tolist())


def test_files_give_the_same_games() -> None:
    finals = [entry.final for entry in finished_games(60)]
    text = "\n".join([csv_names(DEFAULT_BOARD), *(csv_line(each, each.winner) for each in finals)])
    read = read_finals(io.BytesIO(text.encode()), name="games.csv")
    for one, other in zip(read.words(), FinalGrids.from_positions(finals).words(), strict=True):
        assert one.tolist() == other.tolist()


def test_bad_input_is_refused(snapshot: SnapshotAssertion) -> None:
    def said(text: str, board: BoardSize = DEFAULT_BOARD) -> str:
        return refusal(read_finals, io.BytesIO(text.encode()), name="games.csv", board=board)

    wide = BoardSize(10, 7)
    assert [
        said(""),
        said("1,2,3\n"),
        said(",".join(["0"] * 43)),
        said("not a grid", wide),
        refusal(play_finals, 10**9, board=wide),  # before the first game
    ] == snapshot
