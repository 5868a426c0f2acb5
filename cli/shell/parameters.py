"""Parameters and options that several commands share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from db.evaluation_rows import Cursor


class Range(NamedTuple):
    """Whole numbers from ``first`` to ``last``; None leaves an end open."""

    first: int | None
    last: int | None


def read_board(_context: click.Context, _parameter: click.Parameter, text: str) -> BoardSize:
    """An option's text as a board size: ``7x6``."""
    from c4core.errors import BoardError
    from c4core.notation import parse_board

    try:
        return parse_board(text)
    except BoardError as error:
        raise click.BadParameter(str(error)) from None


def read_range(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> Range | None:
    """An option's text as numbers: ``20``, ``8..12``, or with an open end ``8..``, ``..12``."""
    if text is None:
        return None
    first_text, dots, last_text = text.partition("..")
    try:
        first = int(first_text) if first_text else None
        last = (int(last_text) if last_text else None) if dots else first
    except ValueError:
        raise click.BadParameter(f"{text!r} is no number and no range such as 8..12") from None
    if first is None and last is None:
        raise click.BadParameter(f"{text!r} names no number")
    if first is not None and last is not None and first > last:
        raise click.BadParameter(f"{text!r} is empty: {first} is more than {last}")
    return Range(first, last)


def read_cursor(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> Cursor | None:
    """An option's text as the place where a page has ended: ``PLY:KEY``."""
    from db.evaluation_rows import Cursor

    if text is None:
        return None
    try:
        return Cursor.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


board_option = click.option(
    "--board",
    metavar="WxH",
    default="7x6",
    show_default=True,
    callback=read_board,
    help="Columns x rows of the board.",
)

zero_based_option = click.option(
    "--zero-based", is_flag=True, help="Count columns from 0, in moves and in answers."
)

threads_option = click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Threads that search; they share one table.  [default: one a core]",
)

table_option = click.option(
    "--table-mb",
    type=click.IntRange(1),
    metavar="MB",
    default=64,
    show_default=True,
    help="Size of the table of positions met in the search.",
)


def usable_cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
