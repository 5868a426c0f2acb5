"""Reports of tables and facts: for people at a terminal, as text in a file, and as Markdown.

A report is complete before it is written, so its columns are as wide as needed.
:func:`cli.output.formats.write_rows` writes rows one by one.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from workers.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.text import Text

GAP = "  "


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under headings.

    Attributes:
        headings: one per column.
        rows: cells, as many as headings.
        left: number of columns, from the left, that are aligned left; the others are aligned right.
        title: empty for none.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    title: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, one pair per line."""

    items: Sequence[tuple[str, str]]


Part = Table | Facts


def write_parts(
    parts: Sequence[Part], target: IO[str] | None = None, *, markdown: bool = False
) -> None:
    """Write a report to a text file, or to standard output, in colour on a terminal."""
    if markdown or target not in (None, sys.stdout):
        lines = markdown_lines(parts) if markdown else text_lines(parts)
        (target or sys.stdout).writelines(f"{line}\n" for line in lines)
        return
    from cli.output.render import console

    out = console()
    for line in styled_lines(parts):
        out.print(line)


def write_facts(facts: Mapping[str, str]) -> None:
    """Write names and values for people, one pair per line."""
    write_parts([Facts(tuple(facts.items()))])


def text_lines(parts: Sequence[Part]) -> Iterator[str]:
    """Format parts as text, with an empty line between them."""
    for line in styled_lines(parts):
        yield line.plain


def styled_lines(parts: Sequence[Part]) -> Iterator[Text]:
    """Format parts for a terminal, with an empty line between them."""
    from rich.text import Text

    for index, part in enumerate(parts):
        if index:
            yield Text()
        if isinstance(part, Facts):
            items = [(printable(name), printable(value)) for name, value in part.items]
            width = max((len(name) for name, _ in items), default=0)
            for name, value in items:
                line = Text.assemble((f"{name:<{width}}", "dim"), GAP, value)
                line.rstrip()
                yield line
            continue
        if part.title:
            yield Text(printable(part.title), "italic")
        table = [[*map(printable, row)] for row in (part.headings, *part.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for number, row in enumerate(table):
            yield Text(_aligned(row, widths, part.left), "" if number else "bold")


def markdown_lines(parts: Sequence[Part]) -> Iterator[str]:
    """Format parts as Markdown, with an empty line between them."""
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
        aligned(cell, width, right=index >= left)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return GAP.join(cells).rstrip()


def aligned(text: str, width: int, *, right: bool) -> str:
    """A table cell; text that is too long is not cut."""
    text = printable(text)
    return f"{text:>{width}}" if right else f"{text:<{width}}"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    """Text on one line that does not end its cell."""
    return printable(" ".join(text.split())).replace("|", "\\|")
