"""The opening book as a tree: a position, its moves with their scores, and what lies below each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from c4core.evaluation import plies_to_end, value_between
from c4core.notation import column_label
from web import openapi, parameters
from web.parameters import POSITION, read_position
from web.responses import json_response
from web.service import service_of
from workers.books.exploring import BookMove, counted_ply, explore

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.book import Book
    from c4core.position import Position
    from web.parameters import AskedPosition


async def get_children(request: Request) -> Response:
    """What the book says of a position and of its moves."""
    service = service_of(request)
    values = parameters.read_query(request, POSITION)
    if not values.keys() & {"moves", "key", "grid"}:
        values["moves"] = ""
    asked = read_position(values)
    book = service.desk.book_for(asked.board)
    return json_response(await service.in_thread(_book_object, book, asked))


def _book_object(book: Book | None, asked: AskedPosition) -> dict[str, Any]:
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


def _facts(book: Book) -> dict[str, Any]:
    info = book.info
    return {
        "name": Path(book.path).name,
        "first_ply": info.first_ply,
        "plies": info.last_ply,
        "positions": info.positions,
    }


def _without_book(position: Position) -> list[BookMove]:
    columns = () if position.is_over else position.legal_columns()
    return [BookMove(column, position.play(column), None, 0) for column in columns]


def _child_object(move: BookMove, asked: AskedPosition) -> dict[str, Any]:
    """A move; the score is for the side that makes it, and so are value and plies."""
    played = None if asked.moves is None else asked.moves + column_label(move.column)
    return {
        "column": move.column + 1,
        "moves": played,
        "key": str(move.position.key),
        **_score_fields(move.score, asked.position),
        "continuations": move.continuations,
    }


def _score_fields(score: int | None, position: Position) -> dict[str, Any]:
    if score is None:
        return {"score": None, "value": None, "plies": None}
    plies = plies_to_end(score, position.ply, *position.board)
    return {"score": score, "value": value_between(score, score), "plies": plies}


ROUTES: Final = [Route("/api/v1/book", get_children)]

_PLIES: Final = openapi.nullable({"type": "integer", "description": "Plies until the game ends."})
SCHEMAS: Final[dict[str, object]] = {
    "BookPosition": openapi.record(
        {
            "board": openapi.TEXT,
            "moves": openapi.nullable(openapi.TEXT),
            "key": openapi.TEXT,
            "grid": openapi.TEXT,
            "ply": openapi.WHOLE,
            "side": openapi.SIDE,
            "book": openapi.nullable(
                openapi.record(
                    {
                        "name": openapi.TEXT,
                        "first_ply": openapi.WHOLE,
                        "plies": openapi.WHOLE,
                        "positions": openapi.WHOLE,
                    }
                )
            ),
            "score": openapi.nullable(openapi.WHOLE),
            "value": openapi.nullable(openapi.VALUE),
            "plies": _PLIES,
            "counted_ply": openapi.nullable(
                {"type": "integer", "description": "The ply whose positions are counted."}
            ),
            "children": openapi.array(
                openapi.record(
                    {
                        "column": openapi.COLUMN,
                        "moves": openapi.nullable(openapi.TEXT),
                        "key": openapi.TEXT,
                        "score": openapi.nullable(openapi.WHOLE),
                        "value": openapi.nullable(openapi.VALUE),
                        "plies": _PLIES,
                        "continuations": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "Different positions of the book, on `counted_ply`, "
                            "that this move can lead to; mirror images count once.",
                        },
                    }
                )
            ),
        }
    )
}
PATHS: Final[dict[str, object]] = {
    "/api/v1/book": {
        "get": openapi.operation(
            "A position of the opening book and its moves",
            openapi.ref("BookPosition"),
            parameters=[
                openapi.query(
                    "moves",
                    openapi.MOVES | {"default": ""},
                    "From the empty board.",
                    example="4453",
                ),
                openapi.query(
                    "board", openapi.BOARD | {"default": "7x6"}, "Columns x rows.", example="7x6"
                ),
                openapi.query(
                    "key", {"type": "string", "pattern": "^[0-9]{1,20}$"}, "In place of moves."
                ),
                openapi.query(
                    "grid", openapi.TEXT, "In place of moves: rows as text, the top one first."
                ),
            ],
            description="Nothing is searched: what the book does not know is null. Scores are for "
            "the side to move in the position.",
        )
    }
}
