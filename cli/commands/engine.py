"""``c4 engine``: the solver, or any player, as an engine with a text protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.positions.books import book_options, book_path
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.process import echo

if TYPE_CHECKING:
    from c4core.notation import BoardSize

EXAMPLES = (
    "printf 'position startpos moves 4 4 5\\ngo\\n' | c4 engine",
    "printf 'position fen 7/7/7/7/2o4/2xx1o1\\ngo depth 3\\n' | c4 engine",
    "printf 'ugi\\nsetoption name player value medium\\ngo\\n' | c4 engine",
    "printf 'uci\\nposition startpos moves P@d1 P@d2\\ngo depth 3\\n' | c4 engine",
)


@click.command(cls=Command, database=False, json=False, examples=EXAMPLES)
@parameters.board_option
@book_options
@parameters.threads_option
@parameters.table_option
@click.pass_context
def engine(
    context: click.Context,
    *,
    board: BoardSize,
    book: str | None,
    no_book: bool,
    threads: int,
    table_mb: int,
) -> None:
    """Run an engine that answers UGI or UCI lines on standard input.

    UGI does for any game what UCI does for chess. "position" sets a position, "go" asks for the
    best move, "stop" ends the search, "quit" ends the engine. Columns are counted from 1. Without a
    limit, "go" finds the exact score of every column.

    After the line "uci", the engine speaks UCI as engine managers do: the variant is "cfour", and
    moves are drops such as P@d1. docs/adapters.md lists all lines.

    The answer to a line that cannot be understood is "info string error: ...", and the engine goes
    on. At the end of the input, the last search is completed first.
    """
    import sys

    from c4core.adapters.uci import Options, Session
    from workers.answers.question import find_book

    options = Options(hash=table_mb, threads=threads, board=board)
    found = find_book(book_path(context, book, no_book=no_book), board)
    Session(echo, options=options, book=found).run(sys.stdin.buffer)
