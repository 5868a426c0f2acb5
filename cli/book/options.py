"""What several commands for books have in common: which book, which start."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.shell import parameters
from cli.shell.commands import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.book import Book
    from c4core.notation import BoardSize
    from c4core.position import Position

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

NONE_SHIPPED = "this c4 came without a book for {board}: name one"

book_argument = click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False), metavar="[BOOK]"
)


def read_board(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> BoardSize | None:
    """An option's text as a board size; None where it is not given."""
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
    """``--out``, also by the name that it has with all other commands.

    Args:
        text: the help.
        required: whether it has to be given.
    """
    return click.option(
        *("-o", "--output", "--out", "out"), metavar="FILE", required=required, help=text
    )


def book_options(function: Decorated) -> Decorated:
    """Add ``--book`` and ``--no-book``; :func:`book_path` reads both."""
    for option in (
        click.option("--no-book", is_flag=True, help="Do not even use the book that c4 came with."),
        click.option(
            "--book",
            "book",
            type=click.Path(exists=True, dir_okay=False),
            metavar="FILE",
            help="Take from this book what it has.  [default: the one that c4 came with]",
        ),
    ):
        function = option(function)
    return function


def book_path(context: click.Context, book: str | None, *, no_book: bool) -> str | None:
    """What ``--book`` and ``--no-book`` say, for ``workers.books.lookup.find_book``.

    Raises:
        click.UsageError: both are given.
    """
    from workers.books.lookup import NO_BOOK

    refuse(context, (book is not None and no_book, "--book and --no-book do not go together"))
    if no_book:
        return NO_BOOK
    return None if book is None else os.path.realpath(book)


def open_book(path: str | None, board: BoardSize | None = None) -> Book:
    """Open a book, by default the one that came with c4.

    Args:
        path: the file; None for the default.
        board: that it has to be for; None for any, and for 7x6 where there is no path.

    Raises:
        click.UsageError: there is no default, or the book is for another board.
        BookError: the file is no whole book.
        OSError: the file cannot be read.
    """
    from c4core.book import Book
    from c4core.notation import DEFAULT_BOARD
    from workers.books.lookup import shipped_book

    if path is None:
        wanted = board or DEFAULT_BOARD
        found = shipped_book(wanted)
        if found is None:
            raise click.UsageError(NONE_SHIPPED.format(board=wanted))
        return Book.open(found.path)  # another one: the caller may close it
    opened = Book.open(path)
    if board is not None and opened.info.board != board:
        raise click.UsageError(
            f"{path} is a book for {opened.info.board}, and the positions are of {board}"
        )
    return opened


def read_start(text: str, board: BoardSize) -> Position:
    """The position after the moves of ``--start``.

    Raises:
        click.BadParameter: they cannot be played.
    """
    from c4core.errors import C4Error
    from c4core.lines import play_moves

    try:
        return play_moves(text, board)
    except C4Error as error:
        raise click.BadParameter(str(error), param_hint="'--start'") from None
