"""Writes the reference of the command line from the commands themselves.

``python -m cli.reference > docs/cli.md``; a test holds the file against this.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from cli.app import c4
from cli.shell import exits

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 80

HEAD = """\
# The command line

<!-- Made by `python -m cli.reference > docs/cli.md`; do not edit. -->

`c4` and `python -m cli` are the same program. Results go to standard output, talk and progress
to standard error; progress is drawn on a terminal only, and `-q` silences all talk. `NO_COLOR`
switches colours off, and a pipe gets none. Boards are drawn with `x` and `o`; `--grid` reads them.
Names and texts from files and databases are shown in one line, with escapes such as `\\x1b` for
characters that cannot be seen.

A file that is named with `--output` appears whole or not at all; its folder must exist. Lists and
reports replace an older file. Books, data sets and models do so only with an option, a copy of a
database never does.

## Conventions

Moves are columns counted from 1 (`4453`), from the tenth column on letters (`a` is 10);
`--zero-based` counts from 0. A score is for the side to move: 0 is a draw, a win is 22 minus
the number of the winner's stones at the end on a board of 7x6 (18 is a win with the fourth
stone, 1 one with the last), a loss the negative of that. People are shown the distance in plies
as well.

`--db`, `--json`, `-q` and `-v` may stand before or after the command's name. The database is a
SQLite file (`c4.db` in your data directory, made at first use), unless `--db` or the
environment variable `C4_DB` names another: a file, `sqlite:///FILE`, or
`postgresql://USER@HOST/NAME`. An empty variable counts as none; an empty `--db` or `--broker` is
an error. Commands that only read do not make a database that is named.

With `--broker` or `C4_BROKER` the commands that search or play
(BROKER)
let `c4 worker` processes do it:
`redis://HOST:PORT/NUMBER`, `rediss://`, `amqp://USER@HOST:PORT/VHOST` or `amqps://`. Their
output is the same, but Ctrl-C during a job ends only the watching. `--broker none` works in this
process whatever the environment says. Passwords belong in the environment or in the configuration
file: everybody on the machine can read command lines.

An option goes first, then the environment (`C4_DB`, `C4_BROKER`, `C4_THREADS`, `C4_TABLE_MB`, `NO_COLOR`), then
the [configuration file](configuration.md), then the default; `c4 config --show` shows which it was.

## Lines

`c4 solve -` and `c4 analyze` read one position a line: bare moves, or a JSON object with
exactly one of `moves`, `grid` (text, top row first, `.xo`) and `key`, and perhaps an `id` of
any kind, which is echoed. An empty line is a mistake; the empty board is `{"moves": ""}`. Every
line is answered by one line, in order:

```json
{"moves": "4453", "board": "7x6", "side": "x", "score": -2, "value": "loss", "scores": [-5, -5, -2, -3, -4, -2, -2], "best": [3, 6, 7], "plies": 36, "nodes": 4307289, "seconds": 0.461141, "source": "search"}
{"id": null, "error": "move 7: column 4 is full", "field": "moves", "line": 2}
```

A column that cannot be played has the score `null`. A score that is not proven (`--weak`, a
limit) is `null` and followed by `lower` and `upper`. `source` is `search`, `db` or `book`. A game
that has ended is a position too: its score is the result for the side that would be to move, and
no column has one.

With `--format c4solver`, `c4 solve` answers as Pascal Pons's program does: the line, a blank,
and the score, or with `--all-moves` the scores of all columns, -1000 for one that cannot be
played. One line goes out for every line that comes in. A line that cannot be read is written
without a score, and standard error says why. As in that program, a game that is won already counts
as such a line. So does an empty line, for which that program would solve the empty board. A bad
line of more than 64 KiB is cut.

## Exit codes

| code | meaning |
|---|---|
"""  # noqa: E501 (an answer is one line, however long)

AFTER_CODES = """
Ctrl-C stops in order: searches end, a job hands its work back, and what is done is kept. A
second Ctrl-C stops at once. `C4_TRACE=1` shows where an error comes from.

## Shell completion

```console
$ eval "$(c4 completion bash)"      # in ~/.bashrc
$ eval "$(c4 completion zsh)"       # in ~/.zshrc, below compinit
$ c4 completion fish > ~/.config/fish/completions/c4.fish
```
"""


def reference() -> str:
    """The whole document."""
    codes = "".join(f"| {code} | {text} |\n" for code, text in exits.HELP)
    sections = [
        f"\n## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"
        for context in contexts()
    ]
    names = ", ".join(f"`{name}`".replace(" ", "\0") for name in _names_with_broker())
    head = HEAD.replace("(BROKER)", textwrap.fill(f"({names})", WIDTH).replace("\0", " "))
    return head + codes + AFTER_CODES + "".join(sections)


def _names_with_broker() -> Iterator[str]:
    """The commands that make work for workers."""
    for context in contexts():
        options = {parameter.name for parameter in context.command.params}
        if context.parent is not None and "broker" in options and context.info_name != "worker":
            yield context.command_path.removeprefix("c4 ")


def contexts() -> Iterator[click.Context]:
    """A context for every command, groups before what is in them, with a fixed width."""
    yield from _below(_context(c4, "c4", None))


def _below(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            if command is not None:
                yield from _below(_context(command, name, context))


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return click.Context(
        command, parent, info_name=name, terminal_width=WIDTH, **command.context_settings
    )


if __name__ == "__main__":
    click.echo(reference(), nl=False)
