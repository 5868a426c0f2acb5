"""All borders show the same proven bounds of columns, and the bounds never contradict."""

import csv
import io
import json
from collections.abc import Iterator

import pytest

from c4core.dice import Dice
from c4core.evaluation import ColumnBounds, bounds_text, exact_bounds, exact_scores
from c4core.lines import Request
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from cli.output import render
from workers.analyze.job import _answers
from workers.answers.lines import as_row, describe_position, request_object, result_lines
from workers.answers.question import Answer, answer_of

BOARDS = [BoardSize(7, 6), BoardSize(8, 8), BoardSize(10, 7), BoardSize(5, 5), BoardSize(9, 7)]
POSITIONS = 100
"""Positions of each board."""


def drawn(board: BoardSize) -> Iterator[Position]:
    dice = Dice(board.cells)
    for number in range(POSITIONS):
        position = Position(board=board)
        while position.ply < number % (board.cells - 2) and not position.is_over:
            position = position.play(dice.pick(list(position.legal_columns())))
        yield position


def pairs(shown: object) -> ColumnBounds:
    assert isinstance(shown, list)
    return tuple(None if pair is None else (pair[0], pair[1]) for pair in shown)


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_all_borders_show_the_same_bounds(board: BoardSize) -> None:
    solver = Solver(table_mb=1)
    open_columns = 0
    for number, position in enumerate(drawn(board)):
        analysis = solver.analyze(position, node_limit=(0, 500, 20_000)[number % 3])
        answer = answer_of(analysis)
        bounds = analysis.bounds
        open_columns += sum(pair is not None and pair[0] < pair[1] for pair in bounds)
        assert_sound(position, answer)
        assert answer.bounds == bounds
        assert answer.mirrored().mirrored() == answer
        assert analysis.scores == exact_scores(bounds)

        row = analysis.to_dict()
        columns = range(1, board.width + 1)
        low, high = ([row[f"{end}_{column}"] for column in columns] for end in ("lower", "upper"))
        assert [None if a is None else (a, b) for a, b in zip(low, high, strict=True)] == [*bounds]

        shown = json.loads(json.dumps(request_object(Request(1, position, "", None), answer)))
        known = pairs(shown["bounds"]) if "bounds" in shown else exact_bounds(shown["scores"])
        assert known == bounds
        (read,) = csv.DictReader(io.StringIO("".join(result_lines([shown], "csv", board))))
        ends = [[read[f"{end}_{column}"] for column in columns] for end in ("lower", "upper")]
        assert [(int(a), int(b)) if a else None for a, b in zip(*ends, strict=True)] == [*bounds]
        assert as_row(shown)["scores"] == [*analysis.scores]

        described = json.loads(json.dumps(describe_position(position, answer)))
        assert [(column["lower"], column["upper"]) for column in described["columns"]] == [
            pair or (None, None) for pair in bounds
        ]

        unit = {
            "score": [answer.score],
            "open": [[0, answer.lower, answer.upper]],
            "columns": [answer.scores],
            "open_columns": [] if answer.open_bounds is None else [[0, answer.open_bounds]],
            "nodes": [answer.nodes], "known": [], "seconds": 0.0,
        }  # fmt: skip
        (stored,) = _answers(json.loads(json.dumps(unit)))
        assert stored.bounds == bounds

        cells = render.board(position, bounds).plain.splitlines()[-1].split()
        assert cells == ["." if pair is None else bounds_text(*pair) for pair in bounds]
    assert open_columns > POSITIONS


def assert_sound(position: Position, answer: Answer) -> None:
    """Bounds do not contradict each other."""
    known = [pair for pair in answer.bounds or () if pair is not None]
    assert len(known) == len(position.legal_columns())
    assert all(lower <= upper for lower, upper in known)
    if known:
        assert answer.lower >= max(lower for lower, _ in known)
        assert answer.upper == max(upper for _, upper in known)


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_a_limited_batch_has_the_bounds_of_single_analyses(board: BoardSize) -> None:
    positions = list(drawn(board))[::10]
    batch = Solver(table_mb=1).analyze_many(positions, node_limit=3000)
    solver = Solver(table_mb=1)
    for index, position in enumerate(positions):
        analysis = solver.analyze(position, node_limit=3000)
        assert (batch.lower[index], batch.upper[index]) == (analysis.lower, analysis.upper)
        for column, pair in enumerate(analysis.bounds):
            found = batch.column_lower[index, column], batch.column_upper[index, column]
            assert found == (pair or (-128, -128))
