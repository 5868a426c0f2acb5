"""Options for books and their start position, shared by several commands."""

from __future__ import annotations

import os
from copy import copy
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from c4core.book import Book
from c4core.errors import C4Error
from c4core.lines import parse_position
from c4core.notation import DEFAULT_BOARD
from cli.output.formats import writable_path
from cli.shell import parameters
from cli.shell.commands import refuse
from workers.answers.question import NO_BOOK, shipped_book

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.shell.settings import Decorated

NONE_SHIPPED = "no book for {board} is included: name the file of a book"

SHIPPED = "shipped"
"""The name of the included book in options and arguments."""


class BookFile(click.Path):
    """The name of an existing book, or None for the included one."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Write ``./shipped`` for a file with this name."""
        return None if value == SHIPPED else super().convert(value, param, ctx)


book_argument = click.argument("file", required=False, type=BookFile(), metavar="[BOOK]")


def read_board(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> BoardSize | None:
    """Read an option's text as a board size; None if it is not given."""
    return None if text is None else parameters.read_board(context, parameter, text)


board_option = click.option(
    "--board",
    metavar="WxH",
    callback=read_board,
    help="Columns x rows of the board.  [default: the book's]",
)

start_option = click.option(
    "--start", metavar="MOVES", default="", help="Moves that all positions begin with."
)


def out_option(text: str, *, required: bool = False) -> Callable[[Decorated], Decorated]:
    """Add ``--out``; ``--output`` is the same option, as in all other commands."""
    return click.option(
        *("-o", "--output", "--out", "out"), metavar="FILE", required=required, help=text
    )


force_option = click.option("--force", is_flag=True, help="Replace an existing file.")


def out_path(name: str, *, force: bool) -> Path:
    """Return the path of ``--out``; an existing file is replaced only with ``--force``."""
    path = writable_path(name, option="--out")
    if path.exists() and not force:
        refuse_existing(name)
    return path


def refuse_existing(name: str) -> NoReturn:
    """Refuse to replace a file, and name the option that allows it."""
    raise click.BadParameter(f"{name!r} exists already: --force replaces it", param_hint="'--out'")


book_options = parameters.option_group(
    click.option(
        "--book",
        "book",
        type=BookFile(),
        metavar="FILE",
        help="Look positions up in this book before searching them.  "
        f'[default: "{SHIPPED}", the included book]',
    ),
    click.option("--no-book", is_flag=True, help="Use no book, not even the included one."),
)
"""Add ``--book`` and ``--no-book``; :func:`book_path` reads both."""


def book_path(context: click.Context, book: str | None, *, no_book: bool) -> str | None:
    """Return the path that ``workers.answers.question.find_book`` takes, from both options."""
    is_named = context.get_parameter_source("book") is ParameterSource.COMMANDLINE
    refuse(context, (is_named and no_book, "--book and --no-book cannot be used together"))
    if no_book:
        return NO_BOOK
    return None if book is None else os.path.realpath(book)


def open_book(path: str | None, board: BoardSize | None = None) -> Book:
    """Open a book, by default the included one.

    Args:
        path: the file; None for the included book.
        board: the board that the book must be for; None for any, or for 7x6 without a path.
    """
    if path is None:
        wanted = board or DEFAULT_BOARD
        found = shipped_book(wanted)
        if found is None:
            raise click.UsageError(NONE_SHIPPED.format(board=wanted))
        return copy(found)  # a new instance, because the caller may close it
    opened = Book.open(path)
    if board is not None and opened.info.board != board:
        raise click.UsageError(
            f"{path} is a book for {opened.info.board}, but the positions are on {board}"
        )
    return opened


def read_start(text: str, board: BoardSize) -> Position:
    """Return the position after the moves of ``--start``."""
    try:
        return parse_position(text, board).position
    except C4Error as error:
        raise click.BadParameter(str(error), param_hint="'--start'") from None
