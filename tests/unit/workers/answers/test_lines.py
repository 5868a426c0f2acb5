"""Lines of a stream are answered together, and answers are shown as objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from c4core.lines import BadLine, Request
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from workers.answers import lines
from workers.answers.lines import Answered, BatchSize, answer_lines, answer_object, error_object
from workers.answers.question import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest


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


def test_best_columns_are_numbered_like_the_moves() -> None:
    answer = Answer(0, 0, (None, 0, -3, 0), source="db")
    board = BoardSize(4, 4)
    assert answer_object(answer, board=board, ply=4, moves="1111")["best"] == [2, 4]
    shown = answer_object(answer, board=board, ply=4, moves="0000", zero_based=True)
    assert shown["best"] == [1, 3]


def test_without_moves_the_key_is_shown() -> None:
    shown = answer_object(Answer(0, 0), board=DEFAULT_BOARD, ply=1, moves=None, key=99)
    assert shown["moves"] is None
    assert shown["key"] == 99
    assert shown["side"] == "o"
    assert "id" not in shown
    assert "scores" not in shown
    assert "best" not in shown


def test_an_open_score_shows_its_bounds() -> None:
    answer = Answer(1, 18, (None,) * 7)
    shown = answer_object(answer, board=DEFAULT_BOARD, ply=6, moves="123456")
    assert (shown["score"], shown["lower"], shown["upper"]) == (None, 1, 18)
    assert (shown["value"], shown["plies"], shown["best"]) == ("win", None, [])


def test_a_finished_game_has_nothing_to_play() -> None:
    answer = Answer(-18, -18, (None,) * 7)
    shown = answer_object(answer, board=DEFAULT_BOARD, ply=7, moves="1212121")
    assert (shown["plies"], shown["best"], shown["value"]) == (0, [], "loss")


def test_an_error_has_the_fields_of_the_protocol() -> None:
    assert error_object(line=3, error="no", field="moves", identity="x") == {
        "id": "x",
        "error": "no",
        "field": "moves",
        "line": 3,
    }
