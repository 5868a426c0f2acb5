"""The opening book as a tree: a position, its moves, their scores and numbers of continuations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

from msgspec import Meta
from starlette.routing import Route

from c4core.evaluation import plies_to_end, value_between
from c4core.notation import column_label
from web import openapi, parameters
from web.parameters import Column, OfPosition, Side, Value
from web.responses import json_response
from web.service import service_of
from workers.book.reading import BookMove, counted_ply, explore

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.book import Book
    from c4core.position import Position
    from web.parameters import AskedPosition


class Score(TypedDict):
    """A score for the side to move in the position; null if it is unknown."""

    score: int | None
    value: Value | None
    plies: Annotated[int | None, Meta(description="Plies until the game ends.")]


class BookChild(Score):
    """A move from a position of the book. The score is for the side that makes the move."""

    column: Column
    moves: str | None
    key: str
    continuations: Annotated[
        int,
        Meta(
            ge=0,
            description="Number of book positions at `counted_ply` that can follow this move; "
            "mirror images count once.",
        ),
    ]


class BookFacts(TypedDict):
    """The opening book."""

    name: str
    plies: int
    positions: int


class BookPosition(Score):
    """A position of the book and its moves."""

    board: str
    moves: str | None
    key: str
    grid: str
    ply: int
    side: Side
    book: BookFacts | None
    counted_ply: Annotated[int | None, Meta(description="The ply whose positions are counted.")]
    children: list[BookChild]


async def get_children(request: Request) -> Response:
    """The book's scores of a position and of its moves."""
    service = service_of(request)
    asked = parameters.read_query(request, OfPosition).read(or_moves="")
    book = service.answer_service.book_for(asked.board)
    return json_response(await service.in_thread(_book_object, book, asked))


def _book_object(book: Book | None, asked: AskedPosition) -> BookPosition:
    position = asked.position
    score = None if book is None or position.is_over else book.probe(position)
    moves = _without_book(position) if book is None else explore(book, position)
    return {
        "board": str(asked.board),
        "moves": asked.moves,
        "key": str(position.key),
        "grid": str(position),
        "ply": position.ply,
        "side": position.turn,
        "book": None if book is None else _facts(book),
        **_score_fields(score, position),
        "counted_ply": None if book is None else counted_ply(book, position),
        "children": [_child_object(move, asked) for move in moves],
    }


def _facts(book: Book) -> BookFacts:
    info = book.info
    return {
        "name": Path(book.path).name,
        "plies": info.last_ply,
        "positions": info.positions,
    }


def _without_book(position: Position) -> list[BookMove]:
    columns = () if position.is_over else position.legal_columns()
    return [BookMove(column, position.play(column), None, 0) for column in columns]


def _child_object(move: BookMove, asked: AskedPosition) -> BookChild:
    """A move. Its score, value and plies are for the side that makes it."""
    played = None if asked.moves is None else asked.moves + column_label(move.column)
    return {
        "column": move.column + 1,
        "moves": played,
        "key": str(move.position.key),
        **_score_fields(move.score, asked.position),
        "continuations": move.continuations,
    }


def _score_fields(score: int | None, position: Position) -> Score:
    if score is None:
        return {"score": None, "value": None, "plies": None}
    plies = plies_to_end(score, position.ply, position.board)
    return {"score": score, "value": value_between(score, score), "plies": plies}


ROUTES: Final = [Route("/api/v1/book", get_children)]

PATHS: Final[dict[str, object]] = {
    "/api/v1/book": {
        "get": openapi.operation(
            "A position of the opening book and its moves",
            BookPosition,
            query=OfPosition,
            description="Nothing is searched; scores that are not in the book are null. Scores are "
            "for the side to move in the position. The default is the empty board.",
        )
    }
}
