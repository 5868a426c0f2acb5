"""Pictures of positions and games: /api/v1/picture.svg, .png and .gif."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.responses import Response
from starlette.routing import Route

from c4core import extras
from c4core.notation import parse_moves
from c4core.pictures import BoardMarks, board_picture, board_svg
from c4core.pictures.games import game_pictures
from c4core.position import Position
from web import openapi, parameters
from web.parameters import OfPosition
from web.responses import ApiError
from web.service import service_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from web.parameters import AskedPosition

PATH: Final = "/api/v1/picture"
TYPES: Final = {"svg": "image/svg+xml", "png": "image/png", "gif": "image/gif"}
CACHING: Final = {"Cache-Control": "public, max-age=86400"}


async def get_picture(request: Request, kind: str) -> Response:
    """The picture of a position; a GIF shows the moves that lead to it."""
    service = service_of(request)
    asked = parameters.read_query(request, OfPosition).read(or_moves="")
    if kind == "svg":
        return Response(board_svg(asked.position), headers=CACHING, media_type=TYPES[kind])
    extras.require(extras.PICTURES, partial(ApiError, 501))
    async with service.search_slot(request):
        content = await service.in_thread(_png if kind == "png" else _gif, asked)
    return Response(content, headers=CACHING, media_type=TYPES[kind])


def _png(asked: AskedPosition) -> bytes:
    from c4core.pictures.raster import png_bytes  # noqa: PLC0415 (optional packages)

    return png_bytes(board_picture(asked.position, BoardMarks()))


def _gif(asked: AskedPosition) -> bytes:
    from c4core.pictures.raster import gif_bytes  # noqa: PLC0415 (optional packages)

    positions = [asked.position]
    if asked.position.moves:
        positions = [Position(board=asked.position.board)]
        for column in parse_moves(asked.position.moves, width=asked.position.width):
            positions.append(positions[-1].play(column))
    return gif_bytes(*game_pictures(positions), scale=1)


ROUTES: Final = [Route(f"{PATH}.{kind}", partial(get_picture, kind=kind)) for kind in TYPES]

_SUMMARIES: Final = {
    "svg": "A position as SVG",
    "png": "A position as PNG",
    "gif": "The moves to a position as an animated GIF",
}

PATHS: Final[dict[str, object]] = {
    f"{PATH}.{kind}": {
        "get": openapi.operation(
            _SUMMARIES[kind],
            openapi.content(openapi.TEXT if kind == "svg" else openapi.BINARY, media_type),
            query=OfPosition,
            problems=() if kind == "svg" else (501,),
        )
    }
    for kind, media_type in TYPES.items()
}
