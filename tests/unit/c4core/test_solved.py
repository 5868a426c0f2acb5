"""The table of solved boards agrees with the search and with docs/boards.md."""

from pathlib import Path

import pytest

from c4core import Solver
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solved import SOLVED, first_positions, published_score

PAGE = Path(__file__).parents[3] / "docs" / "boards.md"


@pytest.mark.parametrize("board", [BoardSize(4, 4), BoardSize(4, 5), BoardSize(5, 4)], ids=str)
def test_small_boards_have_the_score_that_a_search_finds(board: BoardSize) -> None:
    position = Position(width=board.width, height=board.height)
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
