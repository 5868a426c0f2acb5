"""Batches: positions as JSON Lines, answered in order while they arrive."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta
from starlette.responses import Response
from starlette.routing import Route

from c4core.lines import BadLine, parse_line, read_text_lines
from web import openapi, parameters
from web.bodies import MOST_WAITING, BodyLines, refuse_encoded
from web.parameters import Budget, OnBoard, read_board
from web.responses import CLIENT_GONE, JSON_LINES, UNBUFFERED, ApiError
from web.service import client_of, service_of
from workers.answers.lines import BatchSize, answer_lines, bad_line_object, request_object
from workers.answers.question import Question
from workers.answers.service import SearchStop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from c4core import lines
    from c4core.notation import BoardSize
    from web.bodies import Block
    from web.service import Service

LARGEST_BATCH: Final = 1024
"""Maximum number of lines that are answered together. It is smaller than in the command line,
because reading and writing lines blocks all other Python threads for some milliseconds."""

BATCH_SECONDS: Final = 0.2
"""Target time for the lines that are answered together."""


class BatchParameters(OnBoard):
    """The question about each position."""

    columns: Annotated[
        bool | None,
        Meta(
            description="Add the scores of all columns; true by default, unless `weak` is true.",
            examples=[True],
        ),
    ] = None
    weak: Annotated[bool, Meta(description="Only win, draw or loss.", examples=[False])] = False
    budget: Annotated[Budget, Meta(description="Seconds for each position.", examples=[0.1])] = 2.0


async def answer_batch(request: Request) -> Response:
    """``POST /api/v1/batch``."""
    service = service_of(request)
    asked = parameters.read_query(request, BatchParameters)
    columns = not asked.weak if asked.columns is None else asked.columns
    if asked.weak and columns:
        raise ApiError(400, "columns have no weak scores: use weak=true or columns=true", "columns")
    question = Question(columns=columns, weak=asked.weak, time_limit=asked.budget)
    refuse_encoded(request)
    return BatchAnswer(request, service, read_board(asked.board), question)


class BatchAnswer(Response):
    """A response that answers lines while they arrive.

    The search ends if the client disconnects, and pauses while the client does not read.
    """

    media_type = JSON_LINES

    def __init__(
        self, request: Request, service: Service, board: BoardSize, question: Question
    ) -> None:
        super().__init__(headers=UNBUFFERED)
        del self.headers["content-length"]
        self._request = request
        self._service = service
        self._board = board
        self._question = question
        self._lines = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the lines, until the client disconnects or the server stops."""
        del scope
        stop = SearchStop()
        async with self._service.search_slot(self._request):
            body, limits = BodyLines(), self._service.settings.limits
            with self._service.memory.held(client_of(self._request), MOST_WAITING):
                gone = asyncio.ensure_future(body.fill(receive, limits.body_seconds))
                ending = asyncio.ensure_future(self._service.stopping.wait())
                answering = asyncio.ensure_future(self._answer(body, send, stop))
                tasks = (answering, gone, ending)
                try:
                    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                    if answering.done():
                        answering.result()
                    elif gone.done():
                        gone.result()
                        raise ApiError(CLIENT_GONE, "the client has disconnected")
                    else:
                        raise ApiError(503, "the server is shutting down")
                finally:
                    stop.set()
                    for task in tasks:
                        task.cancel()
                    await asyncio.wait(tasks)

    async def _answer(self, body: BodyLines, send: Send, stop: SearchStop) -> None:
        size = BatchSize(BATCH_SECONDS, largest=LARGEST_BATCH)
        has_begun = False
        while (block := await body.take(size.lines)) is not None:
            with size.measured():
                text = await self._service.in_batch_thread(self._answer_block, block, stop)
            # An earlier response would be a refusal for a client that waits for "100 Continue".
            if not has_begun:
                await self._begin(send)
                has_begun = True
            await send({"type": "http.response.body", "body": text, "more_body": True})
        if not has_begun:
            await self._begin(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _begin(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

    def _answer_block(self, block: Block, stop: SearchStop) -> bytes:
        asked = list(_read(block, self._board, self._lines))
        self._lines += len(asked)
        answers = answer_lines(
            asked,
            lambda positions: self._service.answer_service.answer_batch(
                positions, self._question, stop
            ),
        )
        objects = (
            bad_line_object(one) if isinstance(one, BadLine) else request_object(*one)
            for one in answers
        )
        return "".join(json.dumps(shown) + "\n" for shown in objects).encode()


def _read(block: Block, board: BoardSize, before: int) -> Iterator[lines.Request | BadLine]:
    """The lines of a block, with their numbers in the body."""
    for line, text in read_text_lines(io.BytesIO(block.text)):
        number = before + line
        if isinstance(text, BadLine):
            yield replace(text, line=number)
        else:
            yield parse_line(text, board=board, line=number)


ROUTES: Final = [Route("/api/v1/batch", answer_batch, methods=["POST"])]

PATHS: Final[dict[str, object]] = {
    "/api/v1/batch": {
        "post": openapi.operation(
            "Answers to many positions",
            openapi.content(openapi.TEXT, JSON_LINES),
            query=BatchParameters,
            body=openapi.content(openapi.BINARY, JSON_LINES, example='{"moves": "4453"}\n44\n')
            | openapi.content(openapi.BINARY, "text/plain", example="4453\n44\n"),
            problems=(415,),
            description="Each line has moves, or an object with `moves`, `grid` or `key` and an "
            "optional `id`. Lines are answered in order while they arrive. If a line cannot be "
            "read, its answer is an object with `error`, `field` and `line`. A position that is "
            "not solved within the budget has `lower` and `upper` instead of a score.",
        )
    }
}
