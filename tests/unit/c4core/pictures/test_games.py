"""Games as pictures: the scores by move, the turning points, and the animation."""

import re
from xml.etree.ElementTree import Element

import pytest

from c4core.arena.judging import JudgedMove, positions_of
from c4core.notation import parse_moves
from c4core.pictures import games as pictures
from c4core.pictures.svg import STONE, Picture, svg_text
from c4core.position import Position, Side
from tests.support.svg import elements, parsed

MOVES = "4444443265"


def judged(ply: int, best: int, played: int) -> JudgedMove:
    side: Side = "o" if ply % 2 else "x"
    return JudgedMove(ply, side, 0, best, played, (played, best, best))


def positions() -> list[Position]:
    return [*positions_of(Position(), parse_moves(MOVES, width=7)), Position(MOVES)]


def curve(*scores: int | None) -> Picture:
    points = [pictures.CurvePoint(ply, score) for ply, score in enumerate(scores)]
    return pictures.curve_picture(points, width=300, height=200)


def test_scores_are_for_red() -> None:
    moves = [judged(0, 1, 1), judged(1, -1, -2), None, judged(3, 4, -4)]
    assert pictures.curve_points(Position(), moves) == [
        pictures.CurvePoint(0, 1),
        pictures.CurvePoint(1, 1),
        pictures.CurvePoint(2, 2, "?"),
        pictures.CurvePoint(3, None),
        pictures.CurvePoint(4, 4, "??"),
    ]
    assert pictures.curve_points(Position("44"), []) == [pictures.CurvePoint(2, None)]
    _card, *bars = elements(svg_text(curve(0, 3, -8, 8)), "rect")
    assert [bar.attrib["fill"] for bar in bars] == [STONE["x"], STONE["o"], STONE["x"]]
    red, yellow, higher = (float(bar.attrib["y"]) for bar in bars)
    assert higher < red < yellow  # red is above the middle
    assert bars[1].attrib["height"] == bars[2].attrib["height"]


def test_the_line_ends_at_unknown_scores() -> None:
    lines = elements(svg_text(curve(1, 1, 1, None, 1, None, 1, 1, 1)), "polyline")
    # The first line is the middle; a single point has no line.
    assert [len(line.attrib["points"].split()) for line in lines] == [2, 3, 3]
    parsed(svg_text(curve(None)))


def test_a_board_for_each_turning_point() -> None:
    columns = [0, 1, 2, 3]
    moves = [judged(0, 1, 1), judged(1, 0, -2), judged(2, 4, 2), judged(3, 4, -4)]
    boards = pictures.turning_boards(Position(), columns, moves)
    titles = [elements(svg_text(board), "text")[-1].text for board in boards]
    assert titles == ["2. yellow, column 2: 0 to -2", "4. yellow, column 4: +4 to -4"]
    with_boards = pictures.review_picture(Position(), columns, moves, title="<&>", subtitle="more")
    without = pictures.review_picture(Position(), columns, [None] * 4)
    assert with_boards.height > without.height
    parsed(svg_text(with_boards))
    parsed(svg_text(without))
    # Many mistakes are not all drawn.
    columns = [0] * 6 + [2] * 6 + [4] * 2
    many = pictures.turning_boards(Position(), columns, [judged(ply, 1, -1) for ply in range(14)])
    assert len(many) == pictures.MOST


def test_every_move_falls_once_and_in_order() -> None:
    falls = falls_of(positions())
    assert len(falls) == len(MOVES)
    begins = []
    for fall in falls:
        times = [float(time) for time in fall.attrib["keyTimes"].split(";")]
        assert times == sorted(times)
        assert (times[0], times[-1]) == (0, 1)
        assert len(times) == len(fall.attrib["values"].split(";"))
        assert len(times) == len(fall.attrib["keySplines"].split(";")) + 1
        begins.append(times[1])
    assert begins == sorted(set(begins))
    (length,) = {fall.attrib["dur"] for fall in falls}
    assert float(length.removesuffix("s")) == pytest.approx(
        len(MOVES) * pictures.STEP + pictures.REST
    )


def falls_of(boards: list[Position]) -> list[Element]:
    return elements(pictures.animated_svg(boards), "animateTransform")


def test_with_reduced_motion_it_shows_the_last_position() -> None:
    still = re.sub(r"<animate[^>]*/>", "", pictures.animated_svg(positions()))
    assert [still.count(f'fill="{colour}"') for colour in STONE.values()] == [5, 5]
    # Only the ring of the last move is visible.
    assert still.count('opacity="0"') == len(MOVES) - 1


def test_games_from_a_position_without_moves_and_on_wide_boards() -> None:
    start = Position.from_grid(str(Position("4455")))
    assert len(falls_of([start, start.play(2)])) == 1
    assert falls_of([Position()]) == []
    for width, height in ((10, 7), (20, 5)):
        columns = parse_moves("9a9a8a9", width=width)
        boards = positions_of(Position(board=(width, height)), columns)
        assert len(falls_of(boards)) == len(columns) - 1


def test_pictures_of_a_game() -> None:
    drawn, seconds = pictures.game_pictures(positions())
    assert len(drawn) == len(seconds) == len(MOVES) + 1
    assert len({(picture.width, picture.height) for picture in drawn}) == 1
    assert seconds[-1] == pictures.REST
