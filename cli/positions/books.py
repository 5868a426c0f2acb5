"""Options for books and their start position, shared by several commands."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from c4core.book import Book
from c4core.errors import C4Error
from c4core.lines import parse_position
from c4core.notation import DEFAULT_BOARD, parse_board
from cli.shell.commands import refuse
from cli.shell.parameters import argument, flag, option, writable_path
from workers.answers.question import NO_BOOK, shipped_book

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.notation import BoardSize
    from c4core.position import Position

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


def book_argument() -> Any:
    """The argument BOOK."""
    return argument("[BOOK]", required=False, type=BookFile())


def board_of_book() -> Any:
    """The option ``--board`` of a command about a book."""
    text = "Columns x rows of the board.  [default: the book's]"
    return option(text, metavar="WxH", read=parse_board)


def output(text: str) -> Any:
    """The option ``--output`` of a book or a certificate."""
    return option(text, "-o", "--output", metavar="FILE")


def force() -> Any:
    """The option ``--force``."""
    return flag("Replace an existing file.")


def out_path(name: str, *, force: bool) -> Path:
    """Return the path of ``--output``; an existing file is replaced only with ``--force``."""
    path = writable_path(name, option="--output")
    if path.exists() and not force:
        refuse_existing(name)
    return path


def refuse_existing(name: str) -> NoReturn:
    """Refuse to replace a file, and name the option that allows it."""
    raise click.BadParameter(
        f"{name!r} exists already: --force replaces it", param_hint="'--output'"
    )


@dataclass(frozen=True, kw_only=True)
class Books:
    """The book that is queried before a search."""

    book: str | None = option(
        f'Look positions up in this book before searching them.  [default: "{SHIPPED}", the '
        "included book]",
        type=BookFile(),
        metavar="FILE",
    )
    no_book: bool = flag("Use no book, not even the included one.")

    def path(self) -> str | None:
        """The path that ``workers.answers.question.find_book`` takes."""
        source = click.get_current_context().get_parameter_source("book")
        is_named = source is ParameterSource.COMMANDLINE
        refuse((is_named and self.no_book, "--book and --no-book cannot be used together"))
        if self.no_book:
            return NO_BOOK
        return None if self.book is None else os.path.realpath(self.book)


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
