"""Boards as pictures: well-formed for every size, with stones, marks and threats."""

from itertools import product

import pytest
from hypothesis import example, given

from c4core.evaluation import Analysis, exact_bounds
from c4core.notation import column_label
from c4core.pictures import BoardMarks, board_picture, board_svg
from c4core.pictures.board import analysis_marks, last_cell
from c4core.pictures.svg import MARK, STONE, WHITE, WIN, Picture, score_colour, svg_text
from c4core.position import Position
from tests.support.boards.positions import games
from tests.support.svg import SVG, elements, parsed

HOSTILE = "<script>alert(1)</script> & \x1b[2J \x00 \u202e \"'"


def circles(picture: Picture) -> list[dict[str, str]]:
    return [found.attrib for found in elements(svg_text(picture), "circle")]


def texts(picture: Picture) -> list[str | None]:
    return [found.text for found in elements(svg_text(picture), "text")]


@pytest.mark.parametrize(
    ("moves", "width", "height"),
    [("", 7, 6), ("4453", 7, 6), ("1", 1, 1), ("9ab", 12, 4), ("1" * 19, 3, 19), ("121212", 7, 6),
     ("a9a98", 10, 7), ("jkjkk", 20, 5), ("zAZ", 61, 1), ("1" * 40, 3, 40)],
)  # fmt: skip
def test_every_board_is_well_formed_and_within_its_frame(
    moves: str, width: int, height: int
) -> None:
    picture = board_picture(Position(moves, board=(width, height)))
    root = parsed(svg_text(picture))
    assert root.tag == f"{SVG}svg"
    assert [float(number) for number in root.attrib["viewBox"].split()] == pytest.approx(
        [0, 0, picture.width, picture.height], rel=1e-3
    )
    (plate,) = elements(svg_text(picture), "path")
    _edge, *holes = plate.attrib["d"].split("z")[:-1]
    assert len(holes) == width * height
    for hole in holes:
        left, y = map(float, hole.partition("a")[0].removeprefix("M").split())
        radius = float(hole.partition("a")[2].partition(" ")[0])
        assert 0 < left < left + 2 * radius < picture.width
        assert radius < y < picture.height - radius
    assert texts(picture) == [column_label(column) for column in range(width)]


def test_stones_are_in_their_cells() -> None:
    for moves in ("", "4453", "44444432651631235357535"):
        position = Position(moves)
        shapes = circles(board_picture(position))
        for side, colour in STONE.items():
            assert {
                (int(float(circle["cx"]) // 40), int((250 - float(circle["cy"])) // 40))
                for circle in shapes
                if circle["fill"] == colour
            } == {
                (column, row)
                for column in range(7)
                for row in range(6)
                if position.stone_at(column, row) == side
            }


def test_the_last_move_or_the_four_is_ringed() -> None:
    going_on, won = Position("4453"), Position("4343434")
    unknown = Position.from_grid(str(going_on))
    for position, rings in ((going_on, 1), (won, 4), (unknown, 0)):
        stones = circles(board_picture(position))
        assert len([circle for circle in stones if circle.get("stroke") == WHITE]) == rings
    assert last_cell(going_on) == (2, 0)
    assert last_cell(Position()) is None
    assert last_cell(unknown) is None


def test_scores_threats_arrows_and_marks() -> None:
    marks = BoardMarks(
        scores=(3, -2, 0, None, 3, -1, -1),
        best=(4,),
        arrows=(0, 3),
        threats={"x": [(0, 3)], "o": [(1, 3), (2, 5)]},
        mark="??",
        title="a title",
    )
    full = Position("444444")
    picture, plain = board_picture(full, marks), board_picture(full)
    written = {found.text: found.attrib for found in elements(svg_text(picture), "text")}
    assert {"+3", "-2", "0", "-", "a title", "??"} <= written.keys()
    assert "font-weight" in written["+3"]
    assert written["-2"]["fill"] == score_colour(-2)
    assert len(circles(picture)) - len(circles(plain)) == 1 + 3 + 1  # best, threats, badge
    assert [c["fill"] for c in circles(picture)].count(MARK["??"]) == 1
    heads = elements(svg_text(picture), "polygon")
    assert len(heads) == 2  # one arrow with its border: none points into the full column
    assert picture.height > plain.height
    (dashed,) = (c["stroke-dasharray"] for c in circles(picture) if c.get("stroke") == WIN)
    assert dashed == "5.7 4.67"


def test_untrusted_text_is_escaped() -> None:
    picture = board_picture(Position("4"), BoardMarks(title=HOSTILE))
    root = parsed(svg_text(picture))
    assert not list(root.iter(f"{SVG}script"))
    assert any("<script>" in (text.text or "") for text in root.iter(f"{SVG}text"))


def test_positions_have_an_svg_representation() -> None:
    position = Position("4453", board="8x7")
    drawn = position._repr_svg_()
    assert drawn == svg_text(board_picture(position))
    label = parsed(drawn).attrib["aria-label"]
    assert label == "Connect Four, 8 columns, 7 rows, moves 4453; red to move"
    assert "red has won" in Position("4343434")._repr_svg_()
    assert "a draw" in Position("12", board="2x1")._repr_svg_()


def test_one_call_draws_scores_and_threats() -> None:
    position = Position("121212")
    scores = (1, 18, None, 0, 1, 1, 1)
    analysis = Analysis(scores, exact_bounds(scores), 18, 18)
    picture = board_picture(position, analysis_marks(position, analysis, threats=True))
    assert board_svg(position, analysis, threats=True) == svg_text(picture)
    assert {"+18", "-", "0"} <= set(texts(picture))
    without = board_picture(position)
    assert len(circles(picture)) == len(circles(without)) + 2  # a threat of each side
    assert board_svg(position) == svg_text(without)


DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def slow_threats(position: Position, side: str) -> set[tuple[int, int]]:
    """Every empty cell that completes a line whose other three stones are the side's."""
    squares = list(product(range(position.width), range(position.height)))
    own = {square for square in squares if position.stone_at(*square) == side}
    found = set()
    for column, row in squares:
        for (right, up), first in product(DIRECTIONS, range(-3, 1)):
            line = {
                (column + (first + step) * right, row + (first + step) * up) for step in range(4)
            }
            if position.stone_at(column, row) is None and own >= line - {(column, row)}:
                found.add((column, row))
    return found


@given(games(minimum=2) | games(sizes=[(8, 8), (10, 7), (20, 5), (4, 31)]))
@example((Position("121212"), "121212"))
def test_threats_are_found(game: tuple[Position, str]) -> None:
    position, _ = game
    for side, cells in position.threats().items():
        assert len(cells) == len(set(cells))
        assert set(cells) == slow_threats(position, side)
