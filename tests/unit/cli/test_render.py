import math
import re

import pytest
from hypothesis import given
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from c4core import Position
from c4core.estimate import Estimate
from c4core.evaluation import exact_bounds
from cli.output import render
from tests.support.boards.positions import games
from workers.answers.question import Answer


@pytest.mark.parametrize(
    ("moves", "scores"),
    [
        pytest.param("4453", (-5, -5, -2, -3, -4, -2, -2), id="scores"),
        pytest.param("44444", (-11, 18, 0, None, 1, 2, 3), id="scores of any width"),
        pytest.param("1122334", None, id="a four stands out without colour"),
    ],
)
def test_a_board_in_plain_text(
    moves: str, scores: tuple[int | None, ...] | None, snapshot: SnapshotAssertion
) -> None:
    bounds = None if scores is None else exact_bounds(scores)
    assert render.board(Position(moves), bounds, zero_based=len(moves) == 5).plain == snapshot


@pytest.mark.parametrize("seconds", [math.inf, -math.inf, math.nan, 1e12, -1e300, 1.7e308], ids=str)
def test_an_impossible_time_is_shown_as_a_dash(seconds: float) -> None:
    assert render.duration(seconds) == "-"


@given(games())
def test_a_coloured_board_round_trips(game: tuple[Position, str]) -> None:
    position, _moves = game
    console = Console(force_terminal=True, color_system="standard", no_color=False)
    with console.capture() as capture:
        console.print(render.board(position, None))
    drawn = capture.get()
    for side, colour in (("x", "31"), ("o", "33")):
        has_some = str(position).count(side) > 0
        assert bool(re.search(rf"\x1b\[1;(4;)?{colour}m{side}", drawn, re.IGNORECASE)) == has_some
    *rows, _labels = re.sub(r"\x1b\[[0-9;]*m", "", drawn).rstrip().split("\n")
    assert Position.from_grid("\n".join(rows), board=position.board) == position


def test_boards_without_colours_have_no_escapes() -> None:
    console = Console(force_terminal=False)
    with console.capture() as capture:
        console.print(render.board(Position("44"), ((0, 0),) * 7))
    assert "\x1b" not in capture.get()


@pytest.mark.parametrize(
    ("moves", "answer", "sentence"),
    [
        ("", Answer(1, 1), "x to move, x wins in 41 moves: score +1 for x"),
        ("4453", Answer(-2, -2), "x to move, o wins in 36 moves: score -2 for x"),
        ("445", Answer(2, 2), "o to move, o wins in 37 moves: score +2 for o"),
        ("13333111", Answer(0, 0), "x to move, a draw: score 0 for x"),
        ("112233", Answer(18, 18), "x to move, x wins in 1 move: score +18 for x"),
        ("1122334", Answer(-18, -18), "x has won"),
        ("44", Answer(1, 20), "x to move, x wins: score between +1 and +20 for x"),
        ("44", Answer(-20, 20), "not solved yet: score between -20 and +20 for x"),
    ],
)
def test_a_verdict_names_the_side(moves: str, answer: Answer, sentence: str) -> None:
    assert render.result_sentence(Position(moves), answer).plain.endswith(sentence)


def test_a_guess_is_marked_and_stands_only_where_nothing_is_proven() -> None:
    position, shares = Position("44"), (0.1, 0.2, 0.3, 0.416, None, 0.05, 1.0)
    bounds = ((-9, 9), (1, 9), (-3, -3), (-9, 9), None, (-9, 0), (-9, 9))
    for share, words in (
        (0.32, "o is favoured (x: ~32 %)"),
        (0.416, "too close to call (x: ~42 %)"),
        (0.71, "x is favoured (x: ~71 %)"),
    ):
        guess = render.guess(position, Answer(-20, 20), Estimate(share, shares))
        assert guess is not None
        assert guess.plain == f"Guess, not proven: {words}"
    assert render.guess(position, Answer(1, 20), Estimate(0.9, shares)) is None
    published = render.guess(position, Answer(-20, 20), Estimate(0.6, (), published=-2))
    assert published is not None
    assert published.plain == "Published score, not proven by this search: -2 for x"
    row = render.board(position, bounds, Estimate(0.6, shares)).plain.splitlines()[-1]
    assert row.split() == ["~10", ">0", "-3", "~42", ".", "<=0", "~100"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.2e-5, "12 µs"), (0.0123, "12.3 ms"), (1.5, "1.50 s"), (75, "1:15"), (7510, "2:05:10")],
)
def test_duration(seconds: float, text: str) -> None:
    assert render.duration(seconds) in {text, text.replace("µ", "u")}
