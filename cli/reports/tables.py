"""Tables of text, for people at a terminal and as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workers.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = "  "


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under headings.

    Attributes:
        headings: one for each column.
        rows: of as many cells.
        left: so many columns, from the left, are aligned to the left; numbers to the right.
        title: what it is about.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    title: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values below each other."""

    items: Sequence[tuple[str, str]]


Part = Table | Facts


def text_lines(parts: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Parts for a terminal, an empty line between them: every line with its style."""
    for index, part in enumerate(parts):
        if index:
            yield "", ""
        if isinstance(part, Facts):
            width = max((len(name) for name, _ in part.items), default=0)
            for name, value in part.items:
                yield f"{name:<{width}}{GAP}{printable(value)}".rstrip(), ""
            continue
        if part.title:
            yield printable(part.title), "italic"
        table = [[*map(printable, row)] for row in (part.headings, *part.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for number, row in enumerate(table):
            yield _aligned(row, widths, part.left), "" if number else "bold"


def markdown_lines(parts: Sequence[Part]) -> Iterator[str]:
    """Parts as Markdown, an empty line between them."""
    for index, part in enumerate(parts):
        if index:
            yield ""
        table = part if isinstance(part, Table) else Table(("", ""), part.items, left=2)
        if table.title:
            yield f"**{_escaped(table.title)}**"
            yield ""
        yield _markdown_row(table.headings)
        marks = ["---" if index < table.left else "---:" for index in range(len(table.headings))]
        yield _markdown_row(marks)
        for row in table.rows:
            yield _markdown_row(row)


def _aligned(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    cells = [
        f"{cell:<{width}}" if index < left else f"{cell:>{width}}"
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return GAP.join(cells).rstrip()


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    """Text that does not end its cell, and is in one line."""
    return printable(" ".join(text.split())).replace("|", "\\|")
