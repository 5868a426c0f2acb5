"""Parameters and options that several commands share."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from cli.shell.settings import settings_of
from workers.configuration import DEFAULT_TABLE_MB, MAX_TABLE_MB, MAX_THREADS

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.notation import BoardSize
    from c4core.players.player import Consent
    from cli.shell.settings import Decorated
    from db.records.evaluations import Cursor


def option_group(
    *options: Callable[[Decorated], Decorated],
) -> Callable[[Decorated], Decorated]:
    """One decorator of several, in the order of the help text."""

    def add(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return add


LARGEST_WHOLE: Final = 10**18
"""Larger than any count, and small enough for a database."""
LARGEST_FLOAT: Final = 1e9
"""31 years in seconds; Python can wait for 292."""
LARGEST_IN_RANGE: Final = (1 << 15) - 1
"""For plies, moves and scores, which databases keep in 16 bits."""
LARGEST_GAME: Final = (1 << 31) - 1
"""The number of a game in its match, which databases keep in 32 bits."""
LARGEST_SEED: Final = (1 << 64) - 1
"""Seeds have 64 bits."""
LARGEST_TABLE_MB: Final = MAX_TABLE_MB
"""No table can be larger."""
LARGEST_PRIORITY: Final = 99
"""Jobs of a higher one are those of "c4 solve": see INTERACTIVE_PRIORITY."""


class IntRange(click.IntRange):
    """Whole numbers within bounds, called so in messages."""

    name = "whole number"


class WholeNumber(IntRange):
    """Whole numbers from a least one on, which databases and engine can take.

    Args:
        least: the least one.
        most: the largest one; help texts do not name it.
    """

    def __init__(self, least: int, most: int = LARGEST_WHOLE) -> None:
        super().__init__(least)
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that a text stands for."""
        number: int = super().convert(value, param, ctx)
        if number > self._most:
            self.fail(f"{value} is more than {self._most:,}", param, ctx)
        return number


class FiniteFloat(click.FloatRange):
    """Finite numbers within bounds: neither NaN nor infinity."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text stands for."""
        number: float = super().convert(value, param, ctx)
        if not abs(number) <= LARGEST_FLOAT:  # NaN too
            self.fail(f"{value!r} is not a number up to {LARGEST_FLOAT:,.0f}", param, ctx)
        return number


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
        raise click.BadParameter(f"{text!r} is no number, nor a range such as 8..12") from None
    if first is None and last is None:
        raise click.BadParameter(f"{text!r} names no number")
    if first is not None and last is not None and first > last:
        raise click.BadParameter(f"{text!r} is empty: {first} is more than {last}")
    if any(end is not None and abs(end) > LARGEST_IN_RANGE for end in (first, last)):
        raise click.BadParameter(f"{text!r}: there are no numbers above {LARGEST_IN_RANGE:,} here")
    return Range(first, last)


def read_cursor(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> Cursor | None:
    """An option's text as the place where a page has ended: ``PLY:KEY``."""
    from db.records.evaluations import Cursor

    if text is None:
        return None
    try:
        cursor = Cursor.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if cursor.ply > LARGEST_IN_RANGE:
        raise click.BadParameter(f"no position has {cursor.ply} stones")
    return cursor


def check_exists(name: str, *, option: str) -> None:
    """Refuse the name of a file that does not exist."""
    if not os.path.exists(name):  # noqa: PTH110 (as typed)
        raise click.BadParameter(f"File {name!r} does not exist.", param_hint=f"'{option}'")


def readable(text: str) -> str:
    """A text of the command line, with a mark for every byte that is not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def read_label(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> str | None:
    """An option's text as a name that databases can store."""
    if text is None:
        return None
    try:
        return text.encode(errors="surrogateescape").decode()
    except UnicodeDecodeError:
        raise click.BadParameter(f"{readable(text)!r} is no text: it is not UTF-8") from None


def label_option(what: str) -> Callable[[Decorated], Decorated]:
    """``--label``."""
    return click.option("--label", metavar="TEXT", callback=read_label, help=f"A name for {what}")


def _read_consent(_context: click.Context, _parameter: click.Parameter, given: object) -> Consent:
    from c4core.players.player import ANY_PROGRAM, NO_PROGRAM

    return ANY_PROGRAM if given else NO_PROGRAM


def programs_option(when: str) -> Callable[[Decorated], Decorated]:
    """``--allow-programs``, as a :class:`~c4core.players.player.Consent` called ``programs``."""
    return click.option(
        "--allow-programs",
        "programs",
        is_flag=True,
        callback=_read_consent,
        help=f"Start players that are programs (exec, kaggle, python) {when}",
    )


def detach_option(
    help_text: str = "Only make the job and write its number.",
) -> Callable[[Decorated], Decorated]:
    """``--detach``."""
    return click.option("--detach", is_flag=True, help=help_text)


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


def _remember_priority(
    context: click.Context, _parameter: click.Parameter, value: int | None
) -> None:
    if value is not None:
        context.obj = replace(settings_of(context), priority=value)


priority_option = click.option(
    "--priority",
    type=IntRange(-LARGEST_PRIORITY, LARGEST_PRIORITY),
    metavar="N",
    expose_value=False,
    callback=_remember_priority,
    help="Workers do jobs of higher priority first; those of the same share them.  [default: 0]",
)


def _read_threads(_context: click.Context, _parameter: click.Parameter, given: int | None) -> int:
    from workers.configuration import usable_cores

    return usable_cores() if given is None else given


threads_option = click.option(
    "--threads",
    callback=_read_threads,
    type=IntRange(1, MAX_THREADS),
    metavar="N",
    envvar="C4_THREADS",
    show_envvar=True,
    help="Threads that search; they share one table.  [default: one a core]",
)

table_option = click.option(
    "--table-mb",
    type=WholeNumber(1, LARGEST_TABLE_MB),
    metavar="MB",
    default=DEFAULT_TABLE_MB,
    show_default=True,
    envvar="C4_TABLE_MB",
    show_envvar=True,
    help="Size of the table of positions met in the search.",
)
