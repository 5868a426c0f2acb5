"""``c4 certificate import``: check WeakC4's solution and make a certificate of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from cli.commands.certificate.files import watched
from cli.positions import books as options
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.process import echo

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.notation import BoardSize
    from c4core.proof.weakc4 import Checked, Solution
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 certificate import entries.json diagrams.json --board 5x4 --start 1221",
    "c4 certificate import a.json b.json --board 5x4 --start 1221 --out a.c4proof",
)


@click.command(cls=Command, name="import", database=False, examples=EXAMPLES)
@click.argument("entries", type=click.Path(exists=True, dir_okay=False), metavar="ENTRIES")
@click.argument("diagrams", type=click.Path(exists=True, dir_okay=False), metavar="DIAGRAMS")
@parameters.board_option
@click.option(
    "--start",
    default="",
    metavar="MOVES",
    help="Check the position after these moves.  [default: the empty board]",
)
@options.out_option("Also write a certificate to this file.")
@options.force_option
@click.pass_obj
def import_(
    settings: Settings,
    *,
    entries: str,
    diagrams: str,
    board: BoardSize,
    start: str,
    out: str | None,
    force: bool,
) -> None:
    """Check a solution in WeakC4's two files; make a certificate of it.

    ENTRIES is the JSON file with a column or a diagram number for opening positions
    ("branches.json" there). DIAGRAMS is the file with the diagrams ("steady_states.json"). Every
    reply is tried, and the side to move at the start must win in each line. The error for any other
    line names its moves; the exit code is 1. docs/certificates.md describes both files.

    With --out, write a certificate that the side to move at the start scores at least 1.
    """
    from c4core.proof.weakc4 import check, read_solution

    position = options.read_start(start, board)
    if position.is_over:
        raise click.BadParameter("the game is over", param_hint="'--start'")
    path = None if out is None else options.out_path(out, force=force)
    began = time.monotonic()
    solution = read_solution(entries, diagrams, board=board)
    checked = watched(settings, lambda look: check(solution, position, progress=look))
    certificate = _written(path, checked)
    seconds = time.monotonic() - began
    if settings.json:
        _write_object(solution, checked, (entries, diagrams, out), certificate, seconds)
    else:
        _show(solution, checked, out, certificate, seconds)


def _written(path: Path | None, checked: Checked) -> bytes | None:
    """Write the certificate if a file is given; return its bytes."""
    from c4core.files import atomic_file
    from c4core.proof.weakc4 import certificate_of

    if path is None:
        return None
    content = certificate_of(checked)
    with atomic_file(path) as beside:
        beside.write_bytes(content)
    return content


def _write_object(
    solution: Solution,
    checked: Checked,
    files: tuple[str, str, str | None],
    certificate: bytes | None,
    seconds: float,
) -> None:
    from c4core.proof import Certificate
    from cli.commands.certificate.files import as_object
    from cli.output.formats import write_object

    entries, diagrams, out = files
    said = None
    if certificate is not None:
        said = {"file": out, **as_object(Certificate(certificate).info)}
    write_object(
        {
            "entries": entries,
            "diagrams": diagrams,
            "complete": True,
            "board": str(solution.board),
            "start": checked.start.key,
            "positions": checked.positions,
            "entries_used": checked.entries,
            "entries_unused": [position.moves for position in checked.unused_entries],
            "diagrams_used": checked.diagrams,
            "diagrams_unused": list(checked.unused_diagrams),
            "certificate": said,
            "seconds": round(seconds, 3),
        }
    )


def _show(
    solution: Solution,
    checked: Checked,
    out: str | None,
    certificate: bytes | None,
    seconds: float,
) -> None:
    from cli.output.render import count, duration
    from cli.output.tables import write_facts

    start = checked.start
    facts = {
        "solution": f"{start.turn} wins against every reply",
        "start": f"{start.moves or 'the empty board'}, on {start.board}",
        "positions": f"{checked.positions:,}",
        "entries": f"{checked.entries:,} used of {len(solution.entries):,}",
        "diagrams": f"{checked.diagrams:,} used of {len(solution.diagrams):,}",
        "checked in": duration(seconds),
    }
    if certificate is not None:
        facts["certificate"] = f"{out}, {count(len(certificate), 'byte')}"
    write_facts(facts)
    for position in checked.unused_entries:
        echo(f"unused: the entry {position.moves!r}")
    for number in checked.unused_diagrams:
        echo(f"unused: diagram {number}")
