"""The table of solved boards agrees with the search and with docs/boards.md."""

from pathlib import Path

import pytest

from c4core import Solver
from c4core.notation import BoardSize, parse_board
from c4core.position import Position
from c4core.solved import SOLVED, first_positions, published_score

PAGE = Path(__file__).parents[3] / "docs" / "boards.md"


WITHIN_SECONDS = (
    *("4x4", "5x4", "6x4", "7x4", "8x4", "4x5", "5x5", "6x5", "7x5", "4x6", "5x6", "6x6"),
    *("4x7", "5x7", "4x8", "4x9"),
)
"""Boards whose result a search finds within seconds; tests/release/long/ has larger ones."""


def test_empty_boards_have_the_result_that_a_search_finds() -> None:
    solver = Solver()
    for text in WITHIN_SECONDS:
        board = parse_board(text)
        found = solver.solve(Position(board=board), weak=True)
        score = SOLVED[board].score
        assert (found.lower > 0, found.upper < 0) == (score > 0, score < 0), text
        assert found.value is not None


@pytest.mark.parametrize("text", ["4x4", "4x5", "5x4", "6x5", "7x5", "6x6", "5x8"])
def test_small_boards_have_the_score_that_a_search_finds(text: str) -> None:
    board = parse_board(text)
    position = Position(board=board)
    assert Solver().solve(position).score == SOLVED[board].score


def test_first_moves_lead_to_the_score_of_the_board() -> None:
    for board, solved in SOLVED.items():
        plies = first_positions(board)
        if plies is None:
            continue
        assert solved.is_computed
        start, *after = plies
        assert list(start.values()) == [solved.score]
        for scores in after:
            assert len(scores) == (board.width + 1) // 2
            assert max(-score for score in scores.values()) == solved.score


def test_published_scores() -> None:
    for width, height, score in (
        *((7, 6, 1), (8, 8, -2), (12, 4, -1), (11, 5, 3), (6, 12, -1), (7, 9, 0)),
        *((13, 4, None), (8, 9, None), (3, 4, None), (4, 13, None), (61, 1, None)),
    ):
        assert published_score(BoardSize(width, height)) == score


def test_the_page_has_the_table() -> None:
    rows = {}
    for line in PAGE.read_text().splitlines():
        height, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if height.isdigit() and len(cells) == 10:
            for width, cell in enumerate(cells, 4):
                if cell not in {"", "open", "win"}:
                    rows[BoardSize(width, int(height))] = (int(cell.strip("*")), "**" in cell)
    assert rows == {
        board: (solved.score, solved.is_computed)
        for board, solved in SOLVED.items()
        if board.height <= 12
    }
