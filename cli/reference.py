"""Write the reference of the command line from the commands themselves.

Run ``python -m cli.reference > docs/cli.md``; a test compares the file with this module's output.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from cli.app import c4
from cli.shell.process import EXIT_HELP

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 80

HEAD = """\
# The command line

<!-- Made by `python -m cli.reference > docs/cli.md`; do not edit. -->

`c4` and `python -m cli` are the same program. Results go to standard output, messages and progress
to standard error. Progress is drawn only on a terminal, and `-q` silences all messages. `NO_COLOR`
switches colours off, and a pipe gets none. Boards are drawn with `x` and `o`; `--grid` reads them.
Names and texts from files and databases are shown on one line, with escapes such as `\\x1b` for
invisible characters.

A file given with `--output` appears completely or not at all; its folder must exist. Lists and
reports replace an older file. Books, data sets and models do so only with an option, and a copy of
a database never does.

## Conventions

Moves are columns counted from 1 (`4453`); from the tenth column on they are letters (`a` is 10).
With `--zero-based` they count from 0. A score is for the side to move, and 0 is a draw. On 7x6 a
win is 22 minus the number of the winner's stones at the end: 18 is a win with the fourth stone, 1
is a win with the last one. A loss is the negative of that. Texts for people also show the number
of moves to the end.

`--db`, `--json`, `-q` and `-v` can be given before or after the command's name. The database is
a SQLite file (`c4.db` in your data directory, created at first use), unless `--db` or the
environment variable `C4_DB` names another: a file, `sqlite:///FILE`, or
`postgresql://USER@HOST/NAME`. An empty variable counts as unset; an empty `--db` or `--broker` is
an error. Commands that only read do not create a database that is named.

With `--broker` or `C4_BROKER` the commands that search or play
(BROKER)
let `c4 worker` processes do the work:
`redis://HOST:PORT/NUMBER`, `rediss://`, `amqp://USER@HOST:PORT/VHOST` or `amqps://`. Their
output is the same, but Ctrl-C during a job only stops watching. `--broker none` overrides the
environment: the work is done in this process. Put passwords into the environment: everybody on the
machine can read command lines.

An option comes first, then the [environment](configuration.md) (`C4_DB`, `C4_BROKER`, `C4_THREADS`, `C4_TABLE_MB`,
`NO_COLOR`), then the default.

## Lines

`c4 solve -` and `c4 analyze` read one position per line: bare moves, or a JSON object with exactly
one of `moves`, `grid` (text, top row first, `.xo`) and `key`. It may have an `id` of any type,
which is echoed. An empty line is an error; the empty board is `{"moves": ""}`. Each line gets one
line as its answer, in the same order:

```json
{"moves": "4453", "board": "7x6", "side": "x", "score": -2, "value": "loss", "scores": [-5, -5, -2, -3, -4, -2, -2], "best": [3, 6, 7], "plies": 36, "nodes": 4307289, "seconds": 0.461141, "source": "search"}
{"id": null, "error": "move 7: column 4 is full", "field": "moves", "line": 2}
```

A column that cannot be played has the score `null`. A score that is not proven (`--weak`, a
limit) is `null` and followed by `lower` and `upper`. If some columns are not solved, `bounds` has
the proven bounds of every column's score. `source` is `search`, `db` or `book`. A
finished game is also a position: its score is the result for the side that would be to move, and
the scores of all columns are `null`.

With `--format c4solver`, `c4 solve` answers like Pascal Pons's program: the line, a blank, and
the score. With `--all-moves` it writes the scores of all columns, -1000 for one that cannot be
played. Every line of input gives one line of output. An empty line is the empty board. A score
behind the moves, as in his test files, is ignored. The answer to a line that cannot be read is an
empty line, and standard error says why. As in that program, this includes a game that is already
won.

## Exit codes

| code | meaning |
|---|---|
"""  # noqa: E501 (an answer is one line of any length)

AFTER_CODES = """
The first Ctrl-C stops in order: searches end, a job hands its work back, and results so far are
kept. The second Ctrl-C stops at once. `C4_TRACE=1` shows where an error comes from.

## Shell completion

```console
$ eval "$(c4 completion bash)"      # in ~/.bashrc
$ eval "$(c4 completion zsh)"       # in ~/.zshrc, below compinit
$ c4 completion fish > ~/.config/fish/completions/c4.fish
```
"""


def reference() -> str:
    """The complete document."""
    codes = "".join(f"| {code} | {text} |\n" for code, text in EXIT_HELP)
    sections = [
        f"\n## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"
        for context in contexts()
    ]
    names = ", ".join(f"`{name}`".replace(" ", "\0") for name in _names_with_broker())
    head = HEAD.replace("(BROKER)", textwrap.fill(f"({names})", WIDTH).replace("\0", " "))
    return head + codes + AFTER_CODES + "".join(sections)


def _names_with_broker() -> Iterator[str]:
    """The commands that can create work for workers."""
    for context in contexts():
        options = {parameter.name for parameter in context.command.params}
        if context.parent is not None and "broker" in options and context.info_name != "worker":
            yield context.command_path.removeprefix("c4 ")


def contexts() -> Iterator[click.Context]:
    """A fixed-width context for every command, each group before its commands."""
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
