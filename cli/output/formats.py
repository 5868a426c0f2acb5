"""Output in the format that was asked for, row by row, in constant memory."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from cli.shell.settings import Settings

Format = Literal["table", "json", "jsonl", "csv"]
Row = dict[str, Any]

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table for people.

    Attributes:
        name: heading.
        width: characters; longer text pushes what follows to the right and is never cut.
        text: the cell's text, from the row.
        right: align to the right.
        style: rich style of the cell, from the row.
    """

    name: str
    width: int
    text: Callable[[Row], str]
    right: bool = False
    style: Callable[[Row], str] | None = None


def format_options(function: Decorated) -> Decorated:
    """Add ``--table``, ``--json``, ``--jsonl``, ``--csv``; the parameter is ``format_name``."""
    for name, text in (
        ("csv", "Comma-separated values with a heading; a line for each row."),
        ("jsonl", "JSON Lines: one object a line."),
        ("json", "One JSON array."),
        ("table", "A table for people.  [default]"),
    ):
        function = click.option(f"--{name}", "format_name", flag_value=name, help=text)(function)
    return function


def chosen_format(settings: Settings, name: str | None) -> Format:
    """The format that the command's own options or the global ``--json`` ask for."""
    if name is None:
        return "json" if settings.json else "table"
    return cast("Format", name)


def write_rows(rows: Iterable[Row], format_name: Format, columns: Sequence[Column]) -> int:
    """Write the rows to standard output as they come; how many there were.

    Args:
        rows: objects with the same keys in the same order.
        format_name: how.
        columns: what the table for people shows; the other formats show every field.
    """
    return {
        "table": lambda: _write_table(rows, columns),
        "json": lambda: _write_array(rows),
        "jsonl": lambda: _write_lines(rows),
        "csv": lambda: _write_csv(rows),
    }[format_name]()


def write_object(fields: Mapping[str, Any]) -> None:
    """Write one JSON object over several lines."""
    click.echo(json.dumps(fields, indent=2))


def write_facts(facts: Mapping[str, str]) -> None:
    """Write names and values below each other for people."""
    from rich.text import Text

    from cli.output.render import console

    out = console()
    width = max(map(len, facts))
    for name, value in facts.items():
        out.print(Text.assemble((f"{name:<{width}}", "dim"), f"  {value}"))


def _write_table(rows: Iterable[Row], columns: Sequence[Column]) -> int:
    from rich.text import Text

    from cli.output.render import console

    out = console()
    number = 0
    for number, row in enumerate(rows, start=1):
        if number == 1:
            heading = "  ".join(_aligned(column.name, column) for column in columns)
            out.print(Text(heading.rstrip(), style="bold"))
        line = Text()
        for index, column in enumerate(columns):
            line.append("  " if index else "")
            line.append(
                _aligned(column.text(row), column), column.style(row) if column.style else None
            )
        line.rstrip()
        out.print(line)
    return number


def _aligned(text: str, column: Column) -> str:
    return f"{text:>{column.width}}" if column.right else f"{text:<{column.width}}"


def _write_array(rows: Iterable[Row]) -> int:
    out = sys.stdout
    number = 0
    for number, row in enumerate(rows, start=1):
        out.write(f"{'[' if number == 1 else ','}\n{json.dumps(row)}")
    out.write("\n]\n" if number else "[]\n")
    return number


def _write_lines(rows: Iterable[Row]) -> int:
    out = sys.stdout
    number = 0
    for row in rows:
        out.write(json.dumps(row) + "\n")
        number += 1
    return number


def _write_csv(rows: Iterable[Row]) -> int:
    import csv

    number = 0
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for number, row in enumerate(rows, start=1):
        if number == 1:
            writer.writerow(row)
        writer.writerow(_csv_cell(value) for value in row.values())
    return number


def _csv_cell(value: object) -> object:
    """What is to stand in a cell: one line, whatever it is.

    Lists are words with blanks between them, of which ``-`` stands for nothing, so that they can be
    counted; lines of text have a ``/`` between them; nothing is an empty cell.
    """
    if isinstance(value, list):
        return " ".join("-" if item is None else str(item) for item in value)
    if isinstance(value, str):
        return "/".join(value.splitlines())
    if isinstance(value, bool):
        return str(value).lower()
    return value
