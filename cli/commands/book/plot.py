"""``c4 book plot``: draw a book."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.output import drawing
from cli.positions import books as options
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.options import number, option, takes

if TYPE_CHECKING:
    from c4core.book import Book
    from cli.shell.settings import Settings

DEPTH = 5
MAX_LINES = 1_000_000
OPTION = "--output"

EXAMPLES = (
    "c4 book plot small.c4book",
    "c4 book plot small.c4book --depth 4 --output tree.svg --output tree.png",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 book plot``."""

    file: str | None = options.book_argument()
    depth: int | None = number(
        parameters.WholeNumber(1), f"Draw lines of up to N moves.  [default: {DEPTH}]"
    )
    outputs: tuple[str, ...] = option(
        "An .svg, .png or .pdf; can be given again.  [default: BOOK.svg and BOOK.png]",
        "-o",
        "--output",
        metavar="FILE",
        multiple=True,
    )


@click.command(cls=Command, database=False, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def plot(settings: Settings, given: Given) -> None:
    """Draw a book, by default the included one.

    The left part shows every line of play: a ring for every move, a field for every line. The
    colour says who wins; darker is sooner. The right part shows how often each score occurs among
    the positions of each ply. Needs matplotlib: pip install matplotlib.
    """
    with closing(options.open_book(given.file)) as book:
        stem = Path(book.path).stem
        names = given.outputs or (f"{stem}.svg", f"{stem}.png")
        drawing.check_charts(names, option=OPTION)
        moves = _depth(book, given.depth)
        from cli.commands.book.picture import draw

        drawing.draw_charts(names, lambda paths: draw(book, moves, paths), option=OPTION)
    for name in names:
        settings.say(name)


def _depth(book: Book, wanted: int | None) -> int:
    """The number of moves to draw: as requested, or by default up to :data:`DEPTH`."""
    deepest = book.info.last_ply - book.info.first_ply
    if wanted is None:
        return max(1, min(DEPTH, deepest))
    if wanted > deepest:
        raise click.BadParameter(f"the book's lines have {deepest} moves", param_hint="'--depth'")
    if book.info.board.width**wanted > MAX_LINES:
        raise click.BadParameter(
            f"{book.info.board.width**wanted:,} lines cannot be drawn", param_hint="'--depth'"
        )
    return wanted
