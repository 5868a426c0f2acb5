"""Lines of input in a unit's payload, in short JSON.

A payload holds a run of neighbouring lines, bad ones, too, so that the output can be written from
the units alone::

    {"line": 501,                               number of the first line
     "entries": ["4453",                        bare moves
                 {"id": 7, "moves": "4453"},
                 {"id": 8, "key": 4432676798593},  a grid or a key
                 {"error": "empty line", "field": "line"}],
     "spent": [[4432676798593, 51200, 0.25]]}       only in a unit with limits that was handed back:
                                                    canonical key, nodes, seconds
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.lines import BadLine, Request, play_moves
from c4core.position import Position
from db.decoding import decoding
from workers.positions.search import Effort

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from db.records.jobs import Json


def encode(lines: Sequence[Request | BadLine]) -> Json:
    """The payload for one or more lines with consecutive numbers."""
    return {"line": lines[0].line, "entries": [_encode_line(line) for line in lines]}


def decode(
    payload: Json, *, board: BoardSize, zero_based: bool = False
) -> Iterator[Request | BadLine]:
    """The lines of a payload, in order.

    Args:
        payload: as :func:`encode` made it.
        board: the board of the job.
        zero_based: moves count columns from 0.

    Raises:
        DamagedValueError: the payload cannot be read.
    """
    with decoding("a unit's lines"):
        yield from _decode_lines(payload, board, zero_based=zero_based)


def _decode_lines(
    payload: Json, board: BoardSize, *, zero_based: bool
) -> Iterator[Request | BadLine]:
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


def count_lines(payload: Json, *, bad_only: bool) -> int:
    """The number of a payload's lines, or of those that name no position; at little cost.

    Raises:
        DamagedValueError: the payload cannot be read.
    """
    with decoding("a unit's lines"):
        entries = payload["entries"]
        if not bad_only:
            return len(entries)
        return sum(1 for entry in entries if isinstance(entry, dict) and "error" in entry)


def with_spent(payload: Json, spent: Mapping[int, Effort]) -> Json:
    """The payload of a unit that is handed back, with the effort spent on its positions."""
    return payload | {"spent": [[key, *effort] for key, effort in sorted(spent.items())]}


def read_spent(payload: Json) -> dict[int, Effort]:
    """The effort that was spent on a payload's positions before, by canonical key.

    Raises:
        DamagedValueError: the payload has it in another form.
    """
    with decoding("what was spent on a unit"):
        return {key: Effort(nodes, seconds) for key, nodes, seconds in payload.get("spent", ())}


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
