"""Stored evaluations: a query by ply, score and value, page by page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final, TypedDict, cast

from msgspec import UNSET, Meta, UnsetType
from starlette.routing import Route

from c4core.notation import MAX_BITS
from db import evaluations
from db.records.evaluations import Cursor, EvaluationFilter
from web import openapi, parameters
from web.parameters import Column, OnBoard, Side, Value, read_board
from web.responses import json_response
from web.service import service_of
from workers.answers.lines import stored_object

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database

PAGE: Final = 100
LARGEST_PAGE: Final = 1_000
MOST: Final = MAX_BITS
"""Upper bound of the plies and scores of all boards."""
CURSOR: Final = re.compile(rf"[0-9]{{1,{len(str(MOST))}}}:{parameters.DIGITS.pattern}")


Ply = Annotated[int, Meta(ge=0, le=MOST)]
Score = Annotated[int, Meta(ge=-MOST, le=MOST)]
NextPage = Annotated[str, Meta(extra_json_schema={"pattern": f"^{CURSOR.pattern}$"})]


class EvaluationParameters(OnBoard):
    """Filters of stored evaluations, and the page."""

    min_ply: Annotated[Ply | None, Meta(description="Minimum ply.", examples=[8])] = None
    max_ply: Annotated[Ply | None, Meta(description="Maximum ply.", examples=[20])] = None
    min_score: Annotated[
        Score | None, Meta(description="The score is proven to be at least this.")
    ] = None
    max_score: Annotated[
        Score | None, Meta(description="The score is proven to be at most this.")
    ] = None
    value: Annotated[
        Value | None,
        Meta(description="Proven outcome for the side to move.", examples=["win"]),
    ] = None
    exact: Annotated[
        bool | None, Meta(description="True: only exact scores; false: only bounds.")
    ] = None
    limit: Annotated[
        int, Meta(ge=1, le=LARGEST_PAGE, description="Rows per page.", examples=[10])
    ] = PAGE
    cursor: Annotated[NextPage | UnsetType, Meta(description="`next` of the previous page.")] = (
        UNSET
    )


class StoredEvaluation(TypedDict):
    """The stored evaluation of a position and its mirror image."""

    board: str
    ply: int
    key: Annotated[str, Meta(description="The position's key, a decimal number.")]
    side: Side
    score: int | None
    lower: int
    upper: int
    value: Value | None
    plies: Annotated[int | None, Meta(description="Plies until the game ends.")]
    scores: list[int | None] | None
    best: list[Column] | None
    nodes: int
    grid: str


class Evaluations(TypedDict):
    """A page of stored evaluations."""

    rows: list[StoredEvaluation]
    next: str | None


async def list_evaluations(request: Request) -> Response:
    """A page of the stored evaluations that match the filters, by ply and key."""
    service = service_of(request)
    asked = parameters.read_query(request, EvaluationParameters)
    filters = EvaluationFilter(
        board=read_board(asked.board),
        min_ply=asked.min_ply,
        max_ply=asked.max_ply,
        min_score=asked.min_score,
        max_score=asked.max_score,
        value=asked.value,
        exact=asked.exact,
    )
    after = parameters.read_cursor(asked.cursor, CURSOR, Cursor.parse)
    database = service.require_database()
    async with service.search_slot(request):  # matching rows may be far apart in a large table
        page = await service.in_thread(_read_page, database, filters, after, asked.limit)
    return json_response(page)


def _read_page(
    database: Database, filters: EvaluationFilter, after: Cursor | None, limit: int
) -> Evaluations:
    with database.read() as session:
        page = evaluations.search(session, filters, after=after, limit=limit)
    rows = [stored_object(row) for row in page.rows]
    return {
        # Keys are text, because JavaScript's numbers have 53 bits.
        "rows": [cast("StoredEvaluation", row | {"key": str(row["key"])}) for row in rows],
        "next": None if page.next is None else str(page.next),
    }


ROUTES: Final = [Route("/api/v1/evaluations", list_evaluations)]

PATHS: Final[dict[str, object]] = {
    "/api/v1/evaluations": {
        "get": openapi.operation(
            "Stored evaluations",
            Evaluations,
            query=EvaluationParameters,
            description="Ordered by ply and key. A position and its mirror image are stored as "
            "one; columns refer to the stored image. Positions in the book are not stored.",
        )
    }
}
