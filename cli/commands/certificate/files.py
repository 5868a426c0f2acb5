"""``c4 certificate info``, ``show`` and ``verify``: describe, query and check certificates."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from c4core.errors import CertificateMissingError
from c4core.proof import Certificate
from c4core.proof.certificate import named_file
from c4core.proof.format import RULES
from cli.output import progress, render
from cli.output.formats import write_object
from cli.output.render import duration, labels
from cli.output.tables import write_facts
from cli.positions.given import from_arguments
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import argument, takes
from cli.shell.process import echo, run_in_background
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.proof.certificate import Word
    from c4core.proof.format import CertificateInfo
    from cli.shell.settings import Settings

T = TypeVar("T")


class _File(click.Path):
    """An existing file, or a board with an included certificate."""

    name = "certificate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            super().convert(named_file(value), param, ctx)
        except CertificateMissingError as error:
            self.fail(str(error), param, ctx)
        return value


CERTIFICATE = _File(exists=True, dir_okay=False)
file_argument = click.argument("file", type=CERTIFICATE, metavar="CERTIFICATE")


def open_certificate(file: str) -> Certificate:
    """Open the certificate of a file or board."""
    return Certificate.open(named_file(file))


def watched(settings: Settings, work: Callable[[Callable[[int], object]], T]) -> T:
    """Run work that reports the number of checked positions, and show it; Ctrl-C stops the work."""
    stopped: list[bool] = []
    shown = progress.is_shown(settings)
    with progress.counting("checking positions", shown=shown) as update:

        def look(positions: int) -> None:
            if stopped:
                raise KeyboardInterrupt
            update(positions)

        return run_in_background(lambda: work(look), lambda: stopped.append(True))


def claim(info: CertificateInfo) -> str:
    """A certificate's claim, as the end of a sentence: ``scores exactly 1``."""
    if info.lower is not None and info.lower == info.upper:
        return f"scores exactly {info.lower}"
    words = []
    if info.lower is not None:
        words.append(f"at least {info.lower}")
    if info.upper is not None:
        words.append(f"at most {info.upper}")
    return f"scores {' and '.join(words)}"


def place(info: CertificateInfo) -> str:
    """The claim's position, as the subject of a sentence."""
    if not info.start.ply:
        return f"the empty {info.board} board"
    return f"the {info.board} position with key {info.start.key}"


INFO_EXAMPLES = ("c4 certificate info small.c4proof", "c4 certificate info small.c4proof --json")


@click.command(cls=Command, database=False, examples=INFO_EXAMPLES)
@file_argument
@click.pass_obj
def info(settings: Settings, *, file: str) -> None:
    """Show what a certificate claims. Use "c4 certificate verify" to check the proof."""
    said = open_certificate(file).info
    if settings.json:
        write_object({"file": file, **as_object(said)})
        return

    facts = {
        "certificate": file,
        "claim": f"{place(said)} {claim(said)}",
        "rules": ", ".join(_rules(said)) or "none",
    }
    for half in said.halves:
        name = f"at {'most' if half.upper else 'least'} {half.bound}"
        facts[name] = f"{count(half.positions, 'position')}, {count(half.code_bytes, 'byte')}"
    facts["size"] = count(said.file_bytes, "byte")
    facts["made by"] = f"engine {said.engine_version}"
    write_facts(facts)
    if said.start.ply:
        out = render.console()
        out.print()
        out.print(render.board(said.start, None))


def as_object(said: CertificateInfo) -> dict[str, object]:
    """A certificate's header as a JSON object."""
    return {
        "board": str(said.board),
        "start": said.start.key,
        "lower": said.lower,
        "upper": said.upper,
        "rules": _rules(said),
        "positions": said.positions,
        "bytes": said.file_bytes,
        "engine_version": said.engine_version,
        "halves": [
            {
                "bound": "upper" if half.upper else "lower",
                "score": half.bound,
                "positions": half.positions,
                "bytes": half.code_bytes,
                "plies": list(half.plies),
            }
            for half in said.halves
        ],
    }


def _rules(said: CertificateInfo) -> list[str]:
    """The names of the rules that may end a branch."""
    return [name for number, name in enumerate(RULES) if said.rules >> number & 1]


SHOW_EXAMPLES = (
    "c4 certificate show small.c4proof 12",
    'c4 certificate show small.c4proof "" --json',
)


@dataclass(frozen=True, kw_only=True)
class ShowGiven:
    """Parameters of ``c4 certificate show``."""

    file: str = argument("CERTIFICATE", type=CERTIFICATE)
    moves: str = argument()
    zero_based: bool = parameters.zero_based()


@click.command(cls=Command, database=False, examples=SHOW_EXAMPLES)
@takes(ShowGiven)
@click.pass_obj
def show(settings: Settings, given: ShowGiven) -> None:
    """Show what a certificate plays in a position, and why.

    The certificate is checked first; CERTIFICATE is a file, or 7x6 for the included one. MOVES are
    all columns played so far, including those before the certificate's start. The proof does not
    cover every position. The player "proof:FILE" plays by a certificate.
    """
    certificate = open_certificate(given.file)
    board = certificate.info.board
    position = from_arguments([given.moves], board=board, zero_based=given.zero_based)[0].position
    words = watched(settings, certificate.check).ask(position)
    if settings.json:
        write_object(
            {
                "file": given.file,
                "moves": given.moves,
                "board": str(board),
                "side": position.turn,
                "halves": [
                    {
                        "bound": "upper" if word.upper else "lower",
                        "score": word.bound,
                        "prover": word.prover,
                        "why": word.why,
                        "columns": [c if given.zero_based else c + 1 for c in word.columns],
                        "rule": word.rule,
                    }
                    for word in words
                ],
            }
        )
        return

    render.console().print(render.board(position, None, zero_based=given.zero_based))
    for word in words:
        bound = f"at {'most' if word.upper else 'least'} {word.bound}"
        echo(f"{bound}: {_sentence(word, zero_based=given.zero_based)}")


def _sentence(word: Word, *, zero_based: bool) -> str:
    columns = labels(word.columns, zero_based=zero_based)
    other = "o" if word.prover == "x" else "x"
    if word.why == "rule":
        return f'any move of {other} is answered, by the rule "{word.rule}"'
    if word.why == "follow":
        by = "the rule that ends the branch"
        return (
            f"{word.prover} plays {columns}, by {by}"
            if columns
            else f"any move of {other} is answered, by {by}"
        )
    return {
        "over": "the game is over",
        "win": f"{word.prover} wins at once in {columns}",
        "late": f"{word.prover} can no longer lose in time: every move is good enough",
        "move": f"{word.prover} plays {columns}",
        "replies": f"the proof has an answer to every move of {other}",
        "elsewhere": "the proof does not cover this position: it plays another move earlier",
    }[word.why]


VERIFY_EXAMPLES = (
    "c4 certificate verify small.c4proof",
    "c4 certificate verify small.c4proof --json",
    "c4 certificate verify 5x4",
)


@click.command(cls=Command, database=False, examples=VERIFY_EXAMPLES)
@file_argument
@click.pass_obj
def verify(settings: Settings, *, file: str) -> None:
    """Check that a certificate proves what it claims.

    Every move, reply and rule is checked, without any search. If the proof fails, the error names
    the position, and the exit code is 1. CERTIFICATE is a file, or 7x6 for the included one.
    """
    began = time.monotonic()
    certificate = open_certificate(file)
    watched(settings, certificate.verify)
    seconds = time.monotonic() - began
    said = certificate.info
    if settings.json:
        write_object(
            {"file": file, "proven": True, **as_object(said), "seconds": round(seconds, 3)}
        )
        return

    echo(
        f"{file} is a proof: {place(said)} {claim(said)} "
        f"({count(said.positions, 'position')} checked in {duration(seconds)})"
    )
