"""Lines of input as a unit keeps them: short JSON that says the same.

A unit's payload holds a run of neighbouring lines, the bad ones too, so that the output can be
written from the units alone::

    {"line": 501,                               number of the first line
     "entries": ["4453",                        bare moves
                 {"id": 7, "moves": "4453"},
                 {"id": 8, "key": 4432676798593},  a grid or a key
                 {"error": "empty line", "field": "line"}]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.lines import BadLine, Request, play_moves
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from db.jobs import Json


def encode(lines: Sequence[Request | BadLine]) -> Json:
    """The payload for lines whose numbers follow one another; at least one line."""
    return {"line": lines[0].line, "entries": [_encode_line(line) for line in lines]}


def decode(
    payload: Json, *, board: BoardSize, zero_based: bool = False
) -> Iterator[Request | BadLine]:
    """The lines of a payload, in order.

    Args:
        payload: as :func:`encode` made it.
        board: the board of the job.
        zero_based: moves count columns from 0.
    """
    for line, entry in enumerate(payload["entries"], start=payload["line"]):
        if isinstance(entry, str):
            yield Request(line, play_moves(entry, board, zero_based=zero_based), entry)
        elif "error" in entry:
            yield BadLine(line, entry["error"], entry["field"], entry.get("id"))
        elif "key" in entry:
            position = Position.from_key(entry["key"], width=board.width, height=board.height)
            yield Request(line, position, None, entry.get("id"))
        else:
            moves = entry["moves"]
            position = play_moves(moves, board, zero_based=zero_based)
            yield Request(line, position, moves, entry.get("id"))


def _encode_line(line: Request | BadLine) -> JsonValue:
    entry: dict[str, JsonValue]
    if isinstance(line, BadLine):
        entry = {"error": line.error, "field": line.field}
    elif line.moves is None:
        entry = {"key": line.position.key}
    elif line.id is None:
        return line.moves
    else:
        entry = {"moves": line.moves}
    if line.id is not None:
        entry["id"] = line.id
    return entry
