"""What books take: the ways that are compared, and the page."""

import json
from dataclasses import asdict

import numpy as np

from benchmarks.books import ways
from benchmarks.books.results import FIGURES, PAGE, page_parts
from benchmarks.page import fill
from c4core.notation import DEFAULT_BOARD
from c4core.solver import Solver
from tests.support.boards.learning import random_positions


def test_every_way_solves_every_position() -> None:
    positions = random_positions(40, board=DEFAULT_BOARD, least_ply=24)
    keys = np.array(sorted({position.key for position in positions}), dtype=np.uint64)
    alone = [ways._emptied_table(keys[index : index + 1], 1).nodes[0] for index in range(len(keys))]
    emptied = ways._emptied_table(keys, 1)
    assert emptied.nodes.tolist() == alone
    for related in (True, False):
        kept = ways._kept_table([keys[:20], keys[20:]], 1, related=related)
        at_once = Solver(table_mb=1).solve_many(keys, related=related)
        assert kept.nodes.tolist() == at_once.nodes.tolist()


def test_a_comparison_is_told_and_kept() -> None:
    compared = ways.Ways(
        plies=8,
        units=2,
        positions=1000,
        median=400,
        mean=1000,
        most=9000,
        hardest_share=0.5,
        ways=(ways.Way("as jobs do", 1_000_000, 2.0), ways.Way("badly", 1_500_000, 5.0)),
        processor="a processor",
    )
    entry = json.loads(json.dumps(asdict(compared)))
    assert ways.Ways.from_json(entry) == compared
    lines = ways.way_lines(compared)
    assert "| badly | 1,500 | 1.50 | 5.0 | 2.50 |" in lines
    assert "the tenth that takes most takes 50% of all" in lines[0]


def test_the_page_shows_what_was_measured() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert fill(page, page_parts(json.loads(FIGURES.read_text(encoding="utf-8")))) == page
