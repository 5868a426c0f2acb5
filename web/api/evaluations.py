"""What is stored about positions: a query by ply, score and value, page by page."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from db import evaluations
from db.decoding import decoding
from db.records.evaluations import Cursor, EvaluationFilter
from web import openapi, parameters
from web.parameters import read_board
from web.responses import ApiError, json_response
from web.service import service_of
from workers.positions.showing.stored_objects import stored_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database

PAGE: Final = 100
"""Rows of a page by default."""
LARGEST_PAGE: Final = 1_000
MOST: Final = 64
"""No board has a higher ply or score."""
VALUES: Final = ("win", "draw", "loss")
NAMES: Final = frozenset(
    {
        *("board", "min_ply", "max_ply", "min_score", "max_score"),
        *("value", "exact", "limit", "cursor"),
    }
)
CURSOR: Final = re.compile(r"[0-9]{1,2}:[0-9]{1,20}")


async def list_evaluations(request: Request) -> Response:
    """Stored evaluations that meet some conditions, by ply and key."""
    service = service_of(request)
    values = parameters.read_query(request, NAMES)
    filters = EvaluationFilter(
        board=read_board(values),
        min_ply=parameters.whole(values, "min_ply", None, 0, MOST),
        max_ply=parameters.whole(values, "max_ply", None, 0, MOST),
        min_score=parameters.whole(values, "min_score", None, -MOST, MOST),
        max_score=parameters.whole(values, "max_score", None, -MOST, MOST),
        value=parameters.choice(values, "value", None, VALUES),  # type: ignore[arg-type]
        exact=parameters.flag(values, "exact") if "exact" in values else None,
    )
    limit = parameters.whole(values, "limit", PAGE, 1, LARGEST_PAGE)
    read = partial(_read_page, filters=filters, after=_read_cursor(values), limit=limit)
    database = service.require_database()
    async with service.search_slot(request):  # conditions may be met far apart in a large table
        return json_response(await service.in_thread(read, database))


def _read_cursor(values: Mapping[str, str]) -> Cursor | None:
    text = values.get("cursor")
    if text is None:
        return None
    if CURSOR.fullmatch(text):
        with suppress(ValueError):  # a number that is no key
            return Cursor.parse(text)
    message = f'cursor must be "next" of the page before, not {parameters.quote(text)}'
    raise ApiError(400, message, "cursor")


def _read_page(
    database: Database, *, filters: EvaluationFilter, after: Cursor | None, limit: int
) -> dict[str, Any]:
    with database.read() as session:
        page = evaluations.search(session, filters, after=after, limit=limit)
    with decoding("a stored evaluation"):
        rows = [stored_object(row) for row in page.rows]
    return {
        # A key takes 64 bits; numbers of JavaScript have 53.
        "rows": [row | {"key": str(row["key"])} for row in rows],
        "next": None if page.next is None else str(page.next),
    }


ROUTES: Final = [Route("/api/v1/evaluations", list_evaluations)]

SCHEMAS: Final[dict[str, object]] = {
    "StoredEvaluation": openapi.record(
        {
            "board": openapi.TEXT,
            "ply": openapi.WHOLE,
            "key": {"type": "string", "description": "The position, a decimal number."},
            "side": openapi.SIDE,
            "score": openapi.nullable(openapi.WHOLE),
            "lower": openapi.WHOLE,
            "upper": openapi.WHOLE,
            "value": openapi.nullable(openapi.VALUE),
            "plies": openapi.nullable(
                {"type": "integer", "description": "Plies until the game ends."}
            ),
            "scores": openapi.nullable(openapi.array(openapi.nullable(openapi.WHOLE))),
            "best": openapi.nullable(openapi.array(openapi.COLUMN)),
            "nodes": openapi.WHOLE,
            "grid": openapi.TEXT,
        }
    )
}
_PLY: Final = openapi.whole_between(0, MOST)
_SCORE: Final = openapi.whole_between(-MOST, MOST)
PATHS: Final[dict[str, object]] = {
    "/api/v1/evaluations": {
        "get": openapi.operation(
            "Stored evaluations",
            openapi.record(
                {
                    "rows": openapi.array(openapi.ref("StoredEvaluation")),
                    "next": openapi.nullable(openapi.TEXT),
                }
            ),
            parameters=[
                openapi.query(
                    "board", openapi.BOARD | {"default": "7x6"}, "Columns x rows.", example="7x6"
                ),
                openapi.query("min_ply", _PLY, "Fewest stones.", example=8),
                openapi.query("max_ply", _PLY, "Most stones.", example=20),
                openapi.query("min_score", _SCORE, "The score is proven to be at least this."),
                openapi.query("max_score", _SCORE, "The score is proven to be at most this."),
                openapi.query(
                    "value", openapi.VALUE, "Proven outcome for the side to move.", example="win"
                ),
                openapi.query("exact", openapi.FLAG, "Only exact scores, or only open ones."),
                openapi.query(
                    "limit",
                    openapi.whole_between(1, LARGEST_PAGE, PAGE),
                    "Rows of a page.",
                    example=10,
                ),
                openapi.query(
                    "cursor", {"type": "string", "pattern": f"^{CURSOR.pattern}$"}, "`next`."
                ),
            ],
            description="By ply and key. A position and its mirror image are stored as one; "
            "columns are those of the stored image. What the book knows is not stored.",
        )
    }
}
