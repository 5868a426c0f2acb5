"""Raster pictures: their size, their colours, and the frames of a GIF."""

import io

import pytest
from PIL import Image, ImageColor

from c4core.pictures import BoardMarks, board_picture
from c4core.pictures.board import Frame
from c4core.pictures.games import game_pictures
from c4core.pictures.raster import gif_bytes, png_bytes
from c4core.pictures.svg import CARD, HOLE, PLATE, STONE
from c4core.position import Position


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def dot(image: Image.Image, x: float, y: float) -> tuple[int, ...]:
    found = image.convert("RGB").getpixel((round(x), round(y)))
    assert isinstance(found, tuple)
    return found


def test_a_board() -> None:
    position = Position("4453")
    marks = BoardMarks(
        scores=(1, None, 0, -1, 2, 2, 2), best=(0,), threats={"x": [(6, 5)], "o": []}, mark="?"
    )
    picture = board_picture(position, marks)
    image = opened(png_bytes(picture, scale=2))
    assert image.format == "PNG"
    assert image.size == pytest.approx((2 * picture.width, 2 * picture.height), abs=2)
    frame = Frame(position.board)
    for index in range(42):
        row, column = divmod(index, 7)
        x, y = frame.centre(column, row)
        side = position.stone_at(column, row)
        colour = HOLE if side is None else STONE[side]
        found = dot(image, 2 * x - 22, 2 * y)  # beside the sign in the middle
        assert found == ImageColor.getrgb(colour)
    x, y = frame.centre(0, 0)
    assert dot(image, 2 * x + 40, 2 * y) == ImageColor.getrgb(PLATE)
    assert dot(image, 1, image.height - 2) == ImageColor.getrgb(CARD)


def test_a_game() -> None:
    moves = "4453"
    positions = [Position(moves[:number]) for number in range(len(moves) + 1)]
    pictures, seconds = game_pictures(positions)
    image = opened(gif_bytes(pictures, seconds, scale=1))
    assert (image.format, image.info["loop"], image.n_frames) == ("GIF", 0, 5)
    durations = []
    for frame in range(image.n_frames):
        image.seek(frame)
        durations.append(image.info["duration"])
    assert durations == [800, 800, 800, 800, 3000]
    red = ImageColor.getrgb(STONE["x"])
    x, y = Frame(positions[0].board).centre(3, 0)
    near = dot(image, x - 11, y)
    assert max(abs(a - b) for a, b in zip(near, red, strict=True)) < 12
