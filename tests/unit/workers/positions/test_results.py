"""The object that answers a position."""

import json

from c4core.notation import DEFAULT_BOARD, BoardSize
from workers.positions.results import Answer, answer_object, error_object


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


def test_best_columns_are_counted_as_the_moves_are() -> None:
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


def test_an_error_keeps_the_shape_of_the_protocol() -> None:
    assert error_object(line=3, error="no", field="moves", identity="x") == {
        "id": "x",
        "error": "no",
        "field": "moves",
        "line": 3,
    }
