"""``c4 engine``: the solver, or any player, as an engine with a text protocol."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from c4core.adapters.uci import Options, Session
from c4core.notation import DEFAULT_BOARD
from cli.positions.books import Books
from cli.shell.commands import Command
from cli.shell.parameters import Engine, group, takes
from cli.shell.process import echo
from workers.answers.question import find_book

EXAMPLES = (
    "printf 'position startpos moves P@d1 P@d2 P@e1\\ngo\\n' | c4 engine",
    "printf 'position fen 7/7/7/7/2p4/2PP1p1 w\\ngo depth 3\\n' | c4 engine",
    "printf 'setoption name Player value medium\\ngo\\n' | c4 engine",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 engine``."""

    books: Books = group(Books)
    engine: Engine = group(Engine)


@click.command(cls=Command, database=False, json=False, examples=EXAMPLES)
@takes(Given)
def engine(given: Given) -> None:
    """Run an engine that answers UCI lines on standard input.

    Managers of chess variants know Connect Four on 7x6 as "cfour". "position" sets a position, "go"
    asks for the best move, "stop" ends the search, "quit" ends the engine. Moves are drops such as
    P@d1. Without a limit, "go" finds the exact score of every column. docs/adapters.md lists all
    lines.

    The answer to a line that cannot be understood is "info string error: ...", and the engine goes
    on. At the end of the input, the last search is completed first.
    """
    options = Options(hash=given.engine.table_mb, threads=given.engine.threads)
    found = find_book(given.books.path(), DEFAULT_BOARD)
    Session(echo, options=options, book=found).run(sys.stdin.buffer)
