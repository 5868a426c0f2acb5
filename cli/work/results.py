"""A job's results, as lines or as a table, on standard output or in a file."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Literal, cast

import click

from cli.output import outfile
from cli.output.formats import check_parquet, format_of_file, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.lines import JsonValue
    from cli.shell.settings import Settings

ResultFormat = Literal["jsonl", "json", "csv", "parquet"]


@dataclass(frozen=True, slots=True)
class Results:
    """The file and the format of a job's results."""

    target: IO[Any]
    """A text file, or for Parquet a binary one."""
    format_name: ResultFormat
    name: str = outfile.STANDARD_OUTPUT
    """The file's name as ``--output`` takes it."""

    @property
    def is_stdout(self) -> bool:
        """Whether results go to standard output, where they would mix with a progress bar."""
        return self.target in (sys.stdout, sys.stdout.buffer)

    @property
    def options(self) -> str:
        """The options with which another command writes the same results."""
        text = f"--output {shlex.quote(self.name)}"
        by_ending = format_of_file(self.name) or "jsonl"
        return text if self.format_name == by_ending else f"{text} --format {self.format_name}"

    def write(self, objects: Iterable[dict[str, JsonValue]]) -> None:
        """Write a job's output objects one by one."""
        if self.format_name == "parquet":
            from workers.answers.lines import ROW_NAMES, as_row

            rows = map(as_row, objects)
            write_rows(rows, self.format_name, (), names=ROW_NAMES, target=self.target)
            return
        if self.format_name == "json":
            write_rows(objects, self.format_name, (), target=self.target)
            return
        from workers.answers.lines import result_lines

        for line in result_lines(objects, self.format_name):
            self.target.write(line)


def result_format(
    settings: Settings, output: str | None, format_name: str | None, kind: str
) -> ResultFormat:
    """The format of a job's results."""
    default: ResultFormat = "json" if settings.json else "jsonl"
    found = cast("ResultFormat", format_name or format_of_file(output) or default)
    from workers.core.kinds import find_kind

    known = find_kind(kind)
    if found in ("csv", "parquet") and (known is None or not known.has_table):
        raise click.UsageError(
            f"a job of kind {kind} has no table of results: they are --jsonl or --json"
        )
    check_parquet(found, output)
    return found


@contextmanager
def open_results(output: str | None, format_name: ResultFormat) -> Iterator[Results]:
    """Open the file for results, as :func:`cli.output.outfile.opened` does."""
    name = output or outfile.STANDARD_OUTPUT
    with outfile.opened(name, binary=format_name == "parquet") as target:
        yield Results(cast("IO[Any]", target), format_name, name)
