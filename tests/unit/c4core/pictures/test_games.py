"""Games as pictures: the scores by move, the turning points, and the animation."""

import re

import pytest

from c4core.arena.judging import JudgedMove, judge_move, positions_of
from c4core.notation import parse_moves
from c4core.pictures.games import (
    MOST,
    REST,
    STEP,
    CurvePoint,
    animated_svg,
    curve_picture,
    curve_points,
    game_pictures,
    review_picture,
    turning_boards,
)
from c4core.pictures.svg import STONE, Box, Line, Text, svg_text
from c4core.position import Position, Side
from tests.support.svg import SVG, parsed

MOVES = "4444443265"


def judged(ply: int, best: int, played: int) -> JudgedMove:
    side: Side = "o" if ply % 2 else "x"
    return JudgedMove(ply, side, 0, best, played, (played, best, best))


def positions(moves: str = MOVES) -> list[Position]:
    return [*positions_of(Position(), parse_moves(moves, width=7)), Position(moves)]


class TestCurve:
    def test_scores_are_for_red(self) -> None:
        moves = [judged(0, 1, 1), judged(1, -1, -2), None, judged(3, 4, -4)]
        assert curve_points(Position(), moves) == [
            CurvePoint(0, 1),
            CurvePoint(1, 1),
            CurvePoint(2, 2, "?"),
            CurvePoint(3, None),
            CurvePoint(4, 4, "??"),
        ]
        assert curve_points(Position("44"), []) == [CurvePoint(2, None)]

    def test_red_is_above_the_middle(self) -> None:
        points = [CurvePoint(0, 0), CurvePoint(1, 3), CurvePoint(2, -8), CurvePoint(3, 8)]
        picture = curve_picture(points, width=300, height=200)
        red, yellow, higher = (shape for shape in picture.shapes if isinstance(shape, Box))
        assert (red.fill, yellow.fill) == (STONE["x"], STONE["o"])
        assert higher.y < red.y < yellow.y
        assert yellow.height == pytest.approx(higher.height)

    def test_the_line_ends_at_unknown_scores(self) -> None:
        points = [CurvePoint(n, None if n in (3, 5) else 1) for n in range(9)]
        lines = [
            shape
            for shape in curve_picture(points, width=300, height=200).shapes
            if isinstance(shape, Line)
        ]
        assert [len(line.points) for line in lines] == [
            2,
            3,
            3,
        ]  # the middle; a single point has no line

    def test_a_single_point_makes_a_curve(self) -> None:
        picture = curve_picture([CurvePoint(0, None)], width=300, height=200)
        parsed(svg_text(picture))


class TestReview:
    def test_a_board_for_each_turning_point(self) -> None:
        columns = [0, 1, 2, 3]
        moves = [judged(0, 1, 1), judged(1, 0, -2), judged(2, 4, 2), judged(3, 4, -4)]
        boards = turning_boards(Position(), columns, moves)
        titles = [board.shapes[-1].text for board in boards if isinstance(board.shapes[-1], Text)]
        assert titles == ["2. yellow, column 2: 0 to -2", "4. yellow, column 4: +4 to -4"]
        with_boards = review_picture(Position(), columns, moves, title="<&>", subtitle="more")
        without = review_picture(Position(), columns, [None] * 4)
        assert with_boards.height > without.height
        parsed(svg_text(with_boards))
        parsed(svg_text(without))

    def test_many_mistakes_are_not_all_drawn(self) -> None:
        columns = [0] * 6 + [2] * 6 + [4] * 2
        moves = [judged(ply, 1, -1) for ply in range(14)]
        assert len(turning_boards(Position(), columns, moves)) == MOST

    def test_the_real_scores_of_a_position(self) -> None:
        """A draw is lost: the arrow shows the move that keeps it."""
        position = Position("4444443265")
        move = judge_move(position, 0, (-2, -2, -2, None, 1, -2, -4))
        (board,) = turning_boards(position, [0], [move])
        assert sum(type(shape) is Line for shape in board.shapes) == 2  # one arrow and its border


class TestAnimation:
    def test_every_move_falls_once_and_in_order(self) -> None:
        root = parsed(animated_svg(positions()))
        falls = list(root.iter(f"{SVG}animateTransform"))
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
        assert float(length.removesuffix("s")) == pytest.approx(len(MOVES) * STEP + REST)

    def test_with_reduced_motion_it_shows_the_last_position(self) -> None:
        drawn = animated_svg(positions())
        still = re.sub(r"<animate[^>]*/>", "", drawn)
        stones = [still.count(f'fill="{colour}"') for colour in STONE.values()]
        assert stones == [5, 5]
        assert (
            still.count('opacity="0"') == len(MOVES) - 1
        )  # only the ring of the last move is visible

    def test_a_game_from_a_position_and_one_without_moves(self) -> None:
        start = Position.from_grid(str(Position("4455")))
        root = parsed(animated_svg([start, start.play(2)]))
        assert len(list(root.iter(f"{SVG}animateTransform"))) == 1
        parsed(animated_svg([Position()]))

    @pytest.mark.parametrize(("width", "height"), [(10, 7), (20, 5)])
    def test_a_game_on_a_wide_board(self, width: int, height: int) -> None:
        moves = "9a9a8a9"
        boards = positions_of(Position(width=width, height=height), parse_moves(moves, width=width))
        root = parsed(animated_svg(boards))
        assert len(list(root.iter(f"{SVG}animateTransform"))) == len(moves) - 1

    def test_pictures_of_a_game(self) -> None:
        pictures, seconds = game_pictures(positions())
        assert len(pictures) == len(seconds) == len(MOVES) + 1
        assert len({(picture.width, picture.height) for picture in pictures}) == 1
        assert seconds[-1] == REST
