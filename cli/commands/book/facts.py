"""What a book says about itself, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.book.outline import spreads
from cli.output.formats import Column
from cli.output.render import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.book import Book
    from c4core.book.layout import BookInfo
    from cli.output.formats import Row


def as_object(info: BookInfo) -> dict[str, object]:
    """A book's header as a JSON object."""
    return {
        "board": str(info.board),
        "kind": info.kind,
        "start": info.start.key,
        "first_ply": info.first_ply,
        "last_ply": info.last_ply,
        "positions": info.positions,
        "bytes": info.file_bytes,
        "description": info.description,
        "engine_version": info.engine_version,
        "format_version": info.format_version,
        "plies": ply_rows(info),
    }


def ply_rows(info: BookInfo) -> list[Row]:
    """A row for every ply."""
    return [
        {"ply": section.ply, "positions": section.positions, "bytes": section.length}
        for section in info.plies
    ]


def value_rows(book: Book) -> Iterator[Row]:
    """The same with the numbers of wins of x, draws, and wins of o; this reads the whole book."""
    for row, spread in zip(ply_rows(book.info), spreads(book), strict=True):
        won, drawn, lost = spread.values
        yield row | {"x_wins": won, "draws": drawn, "o_wins": lost}


def as_facts(info: BookInfo, path: str) -> dict[str, str]:
    """A book's header as names and values for people."""
    each = info.file_bytes / max(info.positions, 1)
    return {
        "book": path,
        "board": str(info.board),
        "kind": f"{info.kind}{f', {info.description}' if info.description else ''}",
        "start": "the empty board" if not info.first_ply else f"key {info.start.key}",
        "plies": f"{info.first_ply} to {info.last_ply}",
        "positions": f"{info.positions:,}; two mirror images count as one",
        "size": f"{count(info.file_bytes, 'byte')}, {each:.2f} a position",
        "made by": f"engine {info.engine_version}, format {info.format_version}",
    }


def _bits(row: Row) -> str:
    return f"{8 * row['bytes'] / row['positions']:.2f}" if row["positions"] else "-"


def _number(name: str) -> Callable[[Row], str]:
    return lambda row: f"{row[name]:,}"


COLUMNS = (
    Column("ply", 3, lambda row: str(row["ply"]), right=True),
    Column("positions", 13, _number("positions"), right=True),
    Column("bytes", 12, _number("bytes"), right=True),
    Column("bits each", 9, _bits, right=True),
)

VALUE_COLUMNS = (
    *COLUMNS,
    Column("x wins", 13, _number("x_wins"), right=True),
    Column("draws", 13, _number("draws"), right=True),
    Column("o wins", 13, _number("o_wins"), right=True),
)
