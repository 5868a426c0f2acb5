"""Asking about one position: the rules, the book, the database, and only then a search.

The first two take microseconds and are asked in the event loop, and so is a local database as long
as it is quick; a search takes a thread, and a place among the searches of its client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from web.service import service_of
from workers.answers.find import answer_at_end, answer_stored
from workers.answers.question import Question

if TYPE_CHECKING:
    from starlette.requests import Request

    from c4core.position import Position
    from workers.answers.question import Answer
    from workers.answers.service import Stop

EVERYTHING: Final = Question()


async def find_known(request: Request, position: Position) -> Answer | None:
    """What is known about a position and its columns without a search; None if not all is."""
    service = service_of(request)
    if position.is_over:
        return answer_at_end(position)
    answer = service.desk.booked(position, EVERYTHING)
    if answer is None and service.lookups is not None:
        stored = await service.lookups.find(position)
        if stored is not None:
            answer = answer_stored(position, EVERYTHING, stored)
    return answer


async def find_answer(request: Request, position: Position, *, budget: float) -> Answer:
    """What is known about a position and its columns after a search of so many seconds.

    Raises:
        ApiError: 429, the client searches too much at a time; 499 or 503, it has gone, or the
            server ends.
    """
    answer = await find_known(request, position)
    if answer is not None:
        return answer
    service = service_of(request)
    question = Question(time_limit=budget)

    def search(stop: Stop) -> Answer:
        return service.desk.answer([position], question, stop)[0]

    async with service.search_slot(request):
        return await service.until_disconnected(request, search)


async def find_line(
    request: Request, position: Position, *, budget: float
) -> tuple[int, ...] | None:
    """Best play from a position whose score is known; None where it takes longer than that.

    Raises:
        ApiError: as :func:`find_answer`.
    """
    service = service_of(request)

    def search(stop: Stop) -> tuple[int, ...] | None:
        return service.desk.find_line(position, time_limit=budget, stop=stop)

    async with service.search_slot(request):
        return await service.until_disconnected(request, search)
