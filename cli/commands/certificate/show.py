"""``c4 certificate show``: what a proof says of a position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.commands.certificate import options
from cli.shell import echo, parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from c4core.proof.certificate import Word
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 certificate show small.c4proof 12",
    'c4 certificate show small.c4proof "" --json',
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@options.file_argument
@click.argument("moves")
@parameters.zero_based_option
@click.pass_obj
def show(settings: Settings, *, file: str, moves: str, zero_based: bool) -> None:
    """Show what to play in a position by a certificate, and why.

    The certificate is checked first; it is a file, or a board whose certificate comes with the
    program: 7x6. MOVES are all columns played so far, those of its start included. A position that
    the proof does not lead to is none of its business. The player "proof:FILE" plays by it.
    """
    from cli.positions import given

    certificate = options.opened(file)
    board = certificate.info.board
    position = given.from_arguments([moves], board=board, zero_based=zero_based)[0].position
    words = options.checked(settings, certificate).ask(position)
    if settings.json:
        from cli.output.formats import write_object

        write_object(
            {
                "file": file,
                "moves": moves,
                "board": str(board),
                "side": position.turn,
                "halves": [
                    {
                        "bound": "upper" if word.upper else "lower",
                        "score": word.bound,
                        "prover": word.prover,
                        "why": word.why,
                        "columns": [c if zero_based else c + 1 for c in word.columns],
                        "rule": word.rule,
                    }
                    for word in words
                ],
            }
        )
        return
    from cli.output import render

    render.console().print(render.board(position, None, zero_based=zero_based))
    for word in words:
        bound = f"at {'most' if word.upper else 'least'} {word.bound}"
        echo.line(f"{bound}: {_sentence(word, zero_based=zero_based)}")


def _sentence(word: Word, *, zero_based: bool) -> str:
    from cli.output.render import labels

    columns = labels(word.columns, zero_based=zero_based)
    other = "o" if word.prover == "x" else "x"
    if word.why == "rule":
        return f'whatever {other} plays, by the rule "{word.rule}"'
    if word.why == "follow":
        by = "the rule that has ended the branch"
        return (
            f"{word.prover} plays {columns}, by {by}"
            if columns
            else f"whatever {other} plays, by {by}"
        )
    return {
        "over": "the game is over",
        "win": f"{word.prover} wins at once in {columns}",
        "late": f"{word.prover} cannot lose in time any more: every move will do",
        "move": f"{word.prover} plays {columns}",
        "replies": f"the proof has an answer to every move of {other}",
        "elsewhere": "the proof does not come here: it plays otherwise before",
    }[word.why]
