"""``GET /solve``: the answer that programs know from gamesolver.org, to the character.

A column that cannot be played, or all of them when the game is over, have 100 in place of a score.
Unlike the rest of the API it takes no notice of parameters that it does not know: programs that add
some to keep their browser from remembering the answer work here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.responses import Response
from starlette.routing import Route

from web import parameters
from web.asked_positions import play, read_board
from web.asking import find_answer
from web.description.words import BOARD, MOVES, TEXT, WHOLE, array, operation, query, record, ref
from web.errors import unavailable
from web.responses import JSON, encode
from web.service import service_of
from workers.answers.description import is_complete

if TYPE_CHECKING:
    from starlette.requests import Request

UNPLAYABLE: Final = 100
"""In place of the score of a column that cannot be played."""

PATH: Final = "/solve"


async def solve(request: Request) -> Response:
    """The score of every column."""
    service = service_of(request)
    asked = request.scope["query_string"]
    known = service.known.find(PATH, asked)
    if known is not None:
        return Response(known, media_type=JSON)
    values = dict(request.query_params)
    board = read_board(values)
    if "pos" not in values:
        raise parameters.missing("pos")
    position = play(values["pos"], board, "pos")
    budget = service.settings.limits.budget_seconds
    answer = await find_answer(request, position, budget=budget)
    if not is_complete(position, answer):
        raise unavailable(f"not solved within {budget:g} seconds", "pos")
    scores = [UNPLAYABLE if score is None else score for score in answer.scores or ()]
    body = encode({"pos": values["pos"], "score": scores})
    service.known.keep(PATH, asked, body)
    return Response(body, media_type=JSON)


ROUTES: Final = [Route(PATH, solve)]

PATHS: Final[dict[str, object]] = {
    PATH: {
        "get": operation(
            "The score of every column, in the form of gamesolver.org",
            ref("Solved"),
            parameters=[
                query("pos", MOVES, "Columns from 1 played so far.", example="4453", required=True),
                query("board", BOARD, "Columns x rows; 7x6 if not given.", example="7x6"),
            ],
            description="Scores are for the side to move: 1 is a win with the last own stone, -1 a "
            "loss against the opponent's last one; 100 is a column that cannot be played.",
        )
    }
}

SCHEMAS: Final[dict[str, object]] = {"Solved": record({"pos": TEXT, "score": array(WHOLE)})}
