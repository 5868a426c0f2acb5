"""Answers to many positions: JSON Lines in, JSON Lines out, in order, while they arrive."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response
from starlette.routing import Route

from c4core.lines import BadLine, parse_line, read_text_lines
from web import openapi, parameters
from web.bodies import BodyLines, refuse_encoded
from web.parameters import read_board
from web.responses import CLIENT_GONE, JSON_LINES, ApiError
from web.service import service_of
from workers.positions.batches import BatchSize, answer_lines, bad_line_object, request_object
from workers.positions.question import Question
from workers.positions.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from c4core import lines
    from c4core.notation import BoardSize
    from web.bodies import Block
    from web.service import Service

LARGEST_BATCH: Final = 1024
"""Lines that are answered together. Fewer than on the command line: while they are read and
written, nobody else runs Python for some milliseconds."""

BATCH_SECONDS: Final = 0.2
"""As many lines as take about this time are answered together."""

HEADERS: Final = {"X-Accel-Buffering": "no"}
"""Proxies shall pass on every line as it comes."""


async def answer_batch(request: Request) -> Response:
    """``POST /api/v1/batch``."""
    service = service_of(request)
    values = parameters.read_query(request, {"board", "columns", "weak", "budget"})
    weak = parameters.flag(values, "weak")
    columns = parameters.flag(values, "columns", default=not weak)
    if weak and columns:
        raise ApiError(400, "columns have no weak scores: columns=true is without weak", "columns")
    question = Question(
        columns=columns, weak=weak, time_limit=parameters.budget(values, service.settings.limits)
    )
    refuse_encoded(request)
    service.disk.check()
    return BatchAnswer(request, service, read_board(values), question)


class BatchAnswer(Response):
    """Answers lines while they arrive.

    A client that goes away ends the search. One that reads slowly is waited for, and nothing is
    searched meanwhile.

    Args:
        request: whose body has the lines.
        service: answers.
        board: of all positions.
        question: what is asked about each.
    """

    media_type = JSON_LINES

    def __init__(
        self, request: Request, service: Service, board: BoardSize, question: Question
    ) -> None:
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._request = request
        self._service = service
        self._board = board
        self._question = question

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request.

        Raises:
            ApiError: 429, the client has too many searches; 499 and 503, the answer was broken off.
        """
        del scope
        stop = Stop()
        async with self._service.search_slot(self._request):
            with BodyLines(self._service.disk) as body:
                gone = asyncio.ensure_future(body.fill(receive))
                ending = asyncio.ensure_future(self._service.stopping.wait())
                answering = asyncio.ensure_future(self._answer(body, send, stop))
                tasks = (answering, gone, ending)
                try:
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    if answering.done():
                        answering.result()
                    elif gone.done():
                        gone.result()
                        raise ApiError(CLIENT_GONE, "the client has gone")
                    else:
                        raise ApiError(503, "the server ends")
                finally:
                    stop.set()
                    for task in tasks:
                        task.cancel()
                    await asyncio.wait(tasks)

    async def _answer(self, body: BodyLines, send: Send, stop: Stop) -> None:
        size = BatchSize(BATCH_SECONDS, largest=LARGEST_BATCH)
        has_begun = False
        while (block := await body.take(size.lines)) is not None:
            with size.measured():
                text = await self._service.in_batch_thread(self._answer_block, block, stop)
            # Not before: whoever waits for "100 Continue" would take it for a refusal.
            if not has_begun:
                await self._begin(send)
                has_begun = True
            await send({"type": "http.response.body", "body": text, "more_body": True})
        if not has_begun:
            await self._begin(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _begin(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

    def _answer_block(self, block: Block, stop: Stop) -> bytes:
        answers = answer_lines(
            list(_read(block, self._board)),
            lambda positions: self._service.desk.answer_batch(positions, self._question, stop),
        )
        objects = (
            bad_line_object(one) if isinstance(one, BadLine) else request_object(*one)
            for one in answers
        )
        return "".join(json.dumps(shown) + "\n" for shown in objects).encode()


def _read(block: Block, board: BoardSize) -> Iterator[lines.Request | BadLine]:
    """The lines of a block, with their numbers in the body."""
    for line, text in read_text_lines(io.BytesIO(block.text)):
        number = block.first + line - 1
        if isinstance(text, BadLine):
            yield replace(text, line=number)
        else:
            yield parse_line(text, board=board, line=number)


ROUTES: Final = [Route("/api/v1/batch", answer_batch, methods=["POST"])]

_LINES: Final[dict[str, Any]] = {JSON_LINES: {"schema": {"type": "string"}}}


def _described() -> dict[str, Any]:
    described = openapi.operation(
        "Answers to many positions",
        {},
        description="Lines of moves, or of objects with `moves`, `grid` or `key` and perhaps an "
        "`id`; answered line by line, in order, while they arrive. A line that cannot be read is "
        "answered by an object with `error`, `field` and `line`. A position that is not solved "
        "within the budget has `lower` and `upper` in place of its score.",
        parameters=[
            openapi.query(
                "board", openapi.BOARD, "Columns x rows of all positions.", example="7x6"
            ),
            openapi.query(
                "columns",
                openapi.FLAG,
                "The score of every column, too: the default.",
                example=True,
            ),
            openapi.query("weak", openapi.FLAG, "Only win, draw or loss.", example=False),
            openapi.query(
                "budget",
                openapi.seconds_to_search(),
                "Seconds for each position; 2 if it is not given.",
                example=0.1,
            ),
        ],
        problems=(415,),
    )
    described["responses"]["200"] = {"description": "A line for each line.", "content": _LINES}
    described["requestBody"] = {
        "required": True,
        "content": {
            JSON_LINES: {"schema": {"type": "string"}, "example": '{"moves": "4453"}\n44\n'},
            "text/plain": {"schema": {"type": "string"}, "example": "4453\n44\n"},
        },
    }
    return described


PATHS: Final[dict[str, object]] = {"/api/v1/batch": {"post": _described()}}
