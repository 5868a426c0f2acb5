"""Output of commands: its format, its file, and its rows, written one by one in constant memory.

An output file appears completely or not at all. Reports that are complete before they are written
use :mod:`cli.output.tables`.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, Final, Literal, TextIO, cast

import click

from c4core.extras import PARQUET, load_pyarrow, require
from c4core.files import atomic_file
from c4core.notation import parse_board
from cli.output.tables import GAP, aligned
from cli.shell.commands import refuse
from cli.shell.parameters import declared, option, writable_path
from cli.shell.process import STDERR, STDOUT
from workers.text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from cli.shell.settings import Settings

Format = Literal["table", "json", "jsonl", "csv", "parquet"]
Row = dict[str, Any]

ENDINGS: Final[dict[str, Format]] = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
"""Formats by file-name ending."""

MARKDOWN_ENDINGS: Final = {".md": "markdown", ".markdown": "markdown"}
"""Formats of reports by file-name ending, in addition to :data:`ENDINGS`."""


def formats(**texts: str) -> Any:
    """A field for the name of a format. The arguments are the help texts of some formats.

    ``--csv`` and ``--format csv`` are the same.
    """
    names = f"The same as --NAME: {', '.join(texts)}."

    def decorators(field: str) -> list[Any]:
        return [
            *(
                click.option(f"--{name}", field, flag_value=name, help=text)
                for name, text in texts.items()
            ),
            click.option(
                "--format", field, type=click.Choice(list(texts)), metavar="NAME", help=names
            ),
        ]

    return declared(decorators)


_LIST_FORMATS: Final = {
    "table": "A table for people.  [default]",
    "json": "One JSON array.",
    "jsonl": "JSON Lines: one object a line.",
    "csv": "Comma-separated values with a heading; a line for each row.",
}
_PARQUET: Final = "A Parquet file."


def list_formats() -> Any:
    """A field for the format of a list."""
    return formats(**_LIST_FORMATS)


def table_formats() -> Any:
    """A field for the format of results that are also exchanged as files."""
    return formats(**_LIST_FORMATS, parquet=_PARQUET)


def result_formats() -> Any:
    """A field for the format of a job's results."""
    return formats(
        jsonl="JSON Lines: one object a line.  [default: by the ending of --output, else --jsonl]",
        json=_LIST_FORMATS["json"],
        csv=_LIST_FORMATS["csv"],
        parquet=_PARQUET,
    )


def chosen_format(settings: Settings, name: str | None, output: str | None = None) -> Format:
    """The chosen format: by option, by the output's ending, or the default."""
    default: Format = "json" if settings.json else "table"
    chosen = cast("Format", name) if name is not None else format_of_file(output) or default
    check_parquet(chosen, output)
    return chosen


def check_parquet(format_name: str, output: str | None) -> None:
    """Check, before the work begins, that a Parquet file can be written."""
    if format_name != "parquet":
        return

    require(PARQUET, click.UsageError)
    if output in (None, STANDARD_OUTPUT) and sys.stdout.isatty():
        raise click.UsageError("Parquet is not for terminals: name a file with --output")


def format_of_file(name: str | None) -> Format | None:
    """The format of a file by its name's ending; None if the ending is not known."""
    return None if name is None else ENDINGS.get(PurePath(name).suffix.lower())


def format_by_ending(
    file: str | None, *, endings: Mapping[str, str], default: str, what: str, option: str
) -> str:
    """The format for a file's ending, in a command that has only some formats.

    Standard output, devices and names without an ending get the ``default``. The error message uses
    ``what`` (the data, in the plural) and ``option`` (how to choose a format regardless of the
    ending).
    """
    ending = "" if file is None else PurePath(file).suffix.lower()
    if ending in endings:
        return endings[ending]
    if file is None or not ending or _is_device(file):
        return default
    usual: dict[str, str] = {}
    for known, name in endings.items():
        usual.setdefault(name, known)
    *most, last = usual.values()
    choice = f"{', '.join(most)} or {last}"
    raise click.UsageError(f"{file!r}: {what} are written as {choice}; use {option}")


def check_output(format_name: Format, output: str | None) -> None:
    """Refuse to write a table to a file: tables are for people."""
    refuse(
        (
            output not in (None, STANDARD_OUTPUT) and format_name == "table",
            "--output needs a format: end FILE in .csv, .json, .jsonl or .parquet",
        ),
    )


STANDARD_OUTPUT: Final = "-"
"""The name of standard output in options; None means it, too."""

OUTPUT: Final = "--output"


def output_file() -> Any:
    """The option ``--output``."""
    text = "Write the results to this file, completely or not at all; - is standard output."
    return option(text, "-o", OUTPUT, metavar="FILE")


@contextmanager
def opened(name: str | None, format_name: str = "text") -> Iterator[IO[Any]]:
    """Open a file for writing; it replaces the old one if the context ends without an error.

    The file is binary for Parquet, otherwise text. For a device, a pipe or standard output, the
    target itself is written to.
    """
    binary = format_name == "parquet"
    if name is None or name == STANDARD_OUTPUT:
        yield _raw(sys.stdout, binary=binary)
        return
    how: dict[str, Any] = {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8"}
    if _is_device(name):
        with _device(name, how) as file:
            yield file
        return
    stream = _stream_into(name)
    if stream is not None:
        yield _raw(stream, binary=binary)
        return
    path = writable_path(name, option=OUTPUT)

    with atomic_file(path) as beside, beside.open(**how) as file:
        yield file


def check_writable(name: str | None) -> None:
    """Check, before the work begins, that :func:`opened` can open a file."""
    if name is None or name == STANDARD_OUTPUT:
        return
    path = Path(name)
    if not _is_device(name):
        writable_path(name, option=OUTPUT)
    elif path.is_dir() or not os.access(path, os.W_OK):  # opening a pipe would wait for its reader
        reason = os.strerror(errno.EISDIR if path.is_dir() else errno.EACCES)
        raise click.BadParameter(f"{name!r}: {reason}", param_hint=f"'{OUTPUT}'")


def _is_device(name: str) -> bool:
    """Whether a name is a device or a pipe, which is written to and not replaced.

    Do not resolve the name: the target of ``/dev/stdout`` may have no path.
    """
    path = Path(name)
    return path.exists() and not path.is_file()


def _stream_into(name: str) -> TextIO | None:
    """The standard stream that already writes to this file, as after ``> FILE``, or None.

    Such a file must not be replaced: other commands may write to it before and after this one.
    """
    for stream, descriptor in ((sys.stdout, STDOUT), (sys.stderr, STDERR)):
        with suppress(OSError):  # the file does not exist yet
            if os.path.samestat(Path(name).stat(), os.fstat(descriptor)):
                return stream
    return None


def _raw(stream: TextIO, *, binary: bool) -> IO[Any]:
    return stream.buffer if binary else stream


def _device(name: str, how: dict[str, Any]) -> IO[Any]:
    try:
        return cast("IO[Any]", Path(name).open(**how))
    except OSError as error:
        raise click.BadParameter(f"{name!r}: {error.strerror}", param_hint=f"'{OUTPUT}'") from None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table for people.

    Attributes:
        name: heading.
        width: characters; longer text is not cut but moves the rest of the row to the right.
        text: makes the cell's text from the row.
        right: align to the right.
        style: makes the cell's rich style from the row.
    """

    name: str
    width: int
    text: Callable[[Row], str]
    right: bool = False
    style: Callable[[Row], str] | None = None


def write_rows(
    rows: Iterable[Row],
    format_name: Format,
    columns: Sequence[Column],
    *,
    names: Sequence[str] = (),
    target: IO[Any] | None = None,
) -> int:
    """Write rows as they come; return their number.

    Args:
        rows: objects with the same keys in the same order.
        format_name: the output format.
        columns: the columns of a table for people; the other formats write every field.
        names: the keys, needed for Parquet and for the heading of an empty table.
        target: a text file, or for Parquet a binary one; None for standard output as text. A table
            for people always goes to standard output.
    """
    out: IO[Any] = sys.stdout if target is None else target
    number = 0

    def counted() -> Iterator[Row]:
        nonlocal number
        for row in rows:
            number += 1
            yield row

    if format_name == "table":
        _write_table(counted(), columns)
    elif format_name == "json":
        _write_array(counted(), out)
    elif format_name == "jsonl":
        out.writelines(json.dumps(row) + "\n" for row in counted())
    elif format_name == "csv":
        out.writelines(csv_lines(counted(), names))
    else:
        _write_parquet(counted(), names, out)
    return number


def write_object(fields: Mapping[str, Any], target: IO[str] | None = None) -> None:
    """Write one JSON object over several lines to standard output or a text file."""
    (target or sys.stdout).write(json.dumps(fields, indent=2) + "\n")


def _write_table(rows: Iterable[Row], columns: Sequence[Column]) -> None:
    from rich.text import Text

    from cli.output.render import console

    out = console()
    for number, row in enumerate(rows):
        if number == 0:
            heading = GAP.join(_aligned(column.name, column) for column in columns)
            out.print(Text(heading.rstrip(), style="bold"))
        line = Text()
        for index, column in enumerate(columns):
            line.append(GAP if index else "")
            line.append(
                _aligned(column.text(row), column), column.style(row) if column.style else None
            )
        line.rstrip()
        out.print(line)


def _aligned(text: str, column: Column) -> str:
    return aligned(text, column.width, right=column.right)


def _write_array(rows: Iterable[Row], out: IO[str]) -> None:
    start = "["
    for row in rows:
        out.write(f"{start}\n{json.dumps(row)}")
        start = ","
    out.write("[]\n" if start == "[" else "\n]\n")


_PARQUET_GROUP: Final = 1 << 14
"""Number of rows in a row group; they are in memory together."""

_SHORT: Final = ("ply", "score", "lower", "upper", "plies", "column", "before", "after", "loss")
_LONG: Final = ("line", "nodes", "count", "game", "match", "number")
_LISTS: Final = ("scores", "column_lower", "column_upper", "best")
_OTHERS: Final = {
    "seconds": "float64",
    **dict.fromkeys(("stored", "changes_result"), "bool"),
}
"""Types of other columns by name; the rest is text. Every column can be null."""


def _write_parquet(rows: Iterable[Row], names: Sequence[str], target: IO[bytes]) -> None:
    arrow = load_pyarrow(click.UsageError)
    waiting = iter(rows)
    first = list(islice(waiting, 1))
    # Keys are numbers; on wide boards, where they exceed 64 bits, they are text.
    is_wide = any(row.get("board") and not parse_board(row["board"]).is_narrow for row in first)
    schema = arrow.schema([(name, _parquet_type(arrow, name, is_wide=is_wide)) for name in names])
    waiting = chain(first, waiting)
    with arrow.parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        while group := list(islice(waiting, _PARQUET_GROUP)):
            encodable = [{name: _encodable(row[name]) for name in names} for row in group]
            for row in encodable if is_wide and "key" in names else ():
                row["key"] = str(row["key"])
            writer.write_table(arrow.Table.from_pylist(encodable, schema=schema))


def _encodable(value: Any) -> Any:
    """Text that is valid UTF-8: lone surrogates, which JSON allows, become escapes."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _parquet_type(arrow: Any, name: str, *, is_wide: bool) -> Any:
    if name == "key":
        return arrow.string() if is_wide else arrow.uint64()
    kinds = dict.fromkeys(_SHORT, "int16") | dict.fromkeys(_LONG, "int64") | _OTHERS
    if name in _LISTS:
        return arrow.list_(arrow.int16())
    return arrow.type_for_alias(kinds.get(name, "string"))
