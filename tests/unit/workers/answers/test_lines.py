"""Lines of a stream are answered together; answers and guesses are shown as objects."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from c4core.lines import BadLine, Request
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from c4core.solver import Solver
from workers.answers import lines
from workers.answers.lines import (
    Answered,
    BatchSize,
    answer_lines,
    answer_object,
    error_object,
    estimate_object,
    estimate_open,
    explain_best,
)
from workers.answers.question import Answer


def test_batches_grow_while_they_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(lines.time, "monotonic", lambda: now)
    size = BatchSize(0.1, largest=16)
    sizes = []
    for seconds in (0.01, 0.02, 0.04, 0.08, 0.09, 0.3, 0.3, 0.05, 9, 9, 9, 9, 9):
        sizes.append(size.lines)
        with size.measured():
            now += seconds
    assert sizes == [1, 2, 4, 8, 16, 16, 8, 4, 8, 4, 2, 1, 1]


def test_lines_keep_their_order_and_are_answered_in_one_query() -> None:
    asked: list[Sequence[Position]] = []

    def ask(positions: Sequence[Position]) -> list[Answer]:
        asked.append(positions)
        return [Answer(position.ply, position.ply) for position in positions]

    lines = [
        Request(1, Position("4")),
        BadLine(2, "wrong"),
        Request(3, Position("44")),
        BadLine(4, "wrong"),
    ]
    assert list(answer_lines(lines, ask)) == [
        Answered(Request(1, Position("4")), Answer(1, 1)),
        lines[1],
        Answered(Request(3, Position("44")), Answer(2, 2)),
        lines[3],
    ]
    assert asked == [[Position("4"), Position("44")]]
    assert list(answer_lines(lines[1:2], ask)) == lines[1:2]
    assert len(asked) == 1


def test_an_exact_answer_shows_everything() -> None:
    answer = Answer(1, 1, (-2, -1, 0, 1, 0, -1, -2), 512, 0.12345678, "search")
    shown = answer_object(answer, board=DEFAULT_BOARD, ply=0, moves="", identity=[7])
    assert list(shown.items()) == [
        ("id", [7]),
        ("moves", ""),
        ("board", "7x6"),
        ("side", "x"),
        ("score", 1),
        ("value", "win"),
        ("scores", [-2, -1, 0, 1, 0, -1, -2]),
        ("best", [4]),
        ("plies", 41),
        ("nodes", 512),
        ("seconds", 0.123457),
        ("source", "search"),
    ]
    assert json.loads(json.dumps(shown)) == shown


SMALL = {"board": BoardSize(4, 4), "ply": 4}
LARGE = {"board": DEFAULT_BOARD, "moves": None}


@pytest.mark.parametrize(
    ("answer", "asked", "shown"),
    [
        # Best columns are numbered like the moves.
        (Answer(0, 0, (None, 0, -3, 0)), SMALL | {"moves": "1111"}, {"best": [2, 4]}),
        (
            Answer(0, 0, (None, 0, -3, 0)),
            SMALL | {"moves": "0000", "zero_based": True},
            {"best": [1, 3]},
        ),
        # Without moves the key is shown.
        (Answer(0, 0), LARGE | {"ply": 1, "key": 99}, {"moves": None, "key": 99, "side": "o"}),
        (
            Answer(1, 18, (None,) * 7),
            LARGE | {"ply": 6},
            {"score": None, "lower": 1, "upper": 18, "value": "win", "plies": None, "best": []},
        ),
        # A finished game has nothing to play.
        (
            Answer(-18, -18, (None,) * 7),
            LARGE | {"ply": 7, "moves": "1212121"},
            {"plies": 0, "best": [], "value": "loss"},
        ),
    ],
)
def test_answers_are_shown_as_objects(
    answer: Answer, asked: dict[str, Any], shown: dict[str, Any]
) -> None:
    found = answer_object(answer, **asked)
    assert {name: found[name] for name in shown} == shown
    assert "id" not in found
    assert ("best" in found, "scores" in found) == (answer.scores is not None,) * 2


def test_an_error_has_the_fields_of_the_protocol() -> None:
    shown = error_object(line=3, error="no", field="moves", identity="x")
    assert shown == {"id": "x", "error": "no", "field": "moves", "line": 3}


POSITION = Position("4455", board="8x8")
OPEN = (None,) * 8


def test_settled_answers_and_finished_games_have_no_guess() -> None:
    assert estimate_open(POSITION, Answer(2, 2, (2,) * 8)) is None
    assert estimate_open(POSITION, Answer(1, 9)) is None  # a weak question: the result is known
    assert estimate_open(Position("1212121"), Answer(-18, -18, (None,) * 7)) is None


def test_an_open_result_has_a_guess_with_every_column() -> None:
    answer = Answer(-9, 9, OPEN, open_bounds=((-9, 9),) * 8)
    guess = estimate_open(POSITION, answer)
    assert guess is not None
    shown = estimate_object(answer, guess)
    assert shown is not None
    assert shown["favoured"] == guess.favoured
    assert shown["share"] == round(guess.share, 3)
    assert shown["columns"] == [round(share or 0, 3) for share in guess.columns]


def test_what_is_proven_has_no_guess_beside_it() -> None:
    answer = Answer(2, 9, (2, *OPEN[1:]), open_bounds=((2, 2), (1, 9), *((-9, 9),) * 6))
    shown = estimate_object(answer, estimate_open(POSITION, answer))
    assert shown is not None
    assert (shown["favoured"], shown["share"]) == (None, None)
    columns = shown["columns"]
    assert isinstance(columns, list)
    assert columns[:2] == [None, None]  # a win is proven, though not its length
    assert None not in columns[2:]


@pytest.mark.parametrize(
    ("moves", "plies"),
    [("4443333646443266653217", 2), ("3513714235174451556524164", 12), ("13637337761171771", None)],
)
def test_a_position_has_a_reason_that_follows_soon_or_none(moves: str, plies: int | None) -> None:
    solver, position = Solver(table_mb=16, threads=1), Position(moves)
    found = solver.analyze(position)
    assert found.score is not None
    answer = Answer(found.score, found.score, found.scores, 1, 0.0, "search")
    reason = explain_best(position, answer, solver.principal_variation(position))
    assert (None if reason is None else len(reason.moves) - 1) == plies
