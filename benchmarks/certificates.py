"""Certificates: their costs, and a check of the shipped ones.

::

    python -m benchmarks certificates boards           # or some of them: boards 6x5 7x6
    python -m benchmarks certificates shipped          # compares the bytes; --write replaces them
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.options import WITH_HELP
from benchmarks.page import table
from benchmarks.processes import Usage, run_c4, run_program
from benchmarks.record import ROOT, Part, Results
from c4core.files import atomic_file
from c4core.proof import Certificate
from c4core.proof.certificate import BOARDS, shipped_file

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_CELLS: Final = 36
_SIDES: Final = range(4, MOST_CELLS // 4 + 1)
EMPTY: Final = (
    *(f"{width}x{height}" for width in _SIDES for height in _SIDES if width * height <= MOST_CELLS),
    *("6x7", "7x6", "8x5"),
)
"""Empty boards: all with at least four columns and rows and at most 36 squares, and larger ones."""
CHECKER: Final = ROOT / "examples" / "check_certificate.py"
"""A checker in pure Python that shares no code with C4."""

HEADINGS: Final = "board | score | positions | bytes | made | memory | checked | in Python"


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure certificates, and compare or replace the shipped ones."""


@main.command()
@click.argument("names", nargs=-1, metavar="[WxH]...")
@click.pass_obj
def boards(results: Results, *, names: tuple[str, ...]) -> None:
    """Prove the exact scores of empty boards: all up to 36 squares, and three larger ones."""
    for board in names or EMPTY:
        figures = prove(board)
        click.echo(figures)
        results.keep("certificates", f"boards {board}", figures)


@main.command()
@click.option("--write", is_flag=True, help="Replace the shipped files.")
def shipped(*, write: bool) -> None:
    """Make the shipped certificates again, and compare the bytes."""
    differing = []
    for board in BOARDS:
        path = shipped_file(board)
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory) / path.name
            _make(out, str(board))
            made = out.read_bytes()
        is_same = path.exists() and path.read_bytes() == made
        click.echo(f"{path.name}: {len(made):,} bytes, {'the same' if is_same else 'different'}")
        if not is_same:
            differing.append(path.name)
            if write:
                with atomic_file(path) as beside:
                    beside.write_bytes(made)
    if differing and not write:
        raise click.ClickException(f"files that are different now: {', '.join(differing)}")


def prove(board: str) -> dict[str, Any]:
    """Make a certificate with one thread in an empty database, and run both checkers on it.

    Seconds are processor time, from the start to the end of a process.
    """
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.c4proof"
        made = _make(path, board)
        checked = run_c4("certificate", "verify", str(path), silent=True)
        again = run_program(sys.executable, str(CHECKER), str(path), sink=subprocess.DEVNULL)
        data = path.read_bytes()
    said = Certificate(data).info
    return {
        "board": board,
        "score": said.lower,
        "positions": said.positions,  # of both halves, without mirror images
        "file_bytes": said.file_bytes,
        "make_seconds": made.processor_seconds,
        "make_mb": made.peak_mb,
        "check_seconds": checked.processor_seconds,
        "check_mb": checked.peak_mb,
        "python_seconds": again.processor_seconds,
        "python_mb": again.peak_mb,
        "engine_version": said.engine_version,
        "digest": data[-8:].hex(),  # equal for equal files
    }


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/certificates-log.md``."""
    found = [part for name, part in parts.items() if name.startswith("boards ")]
    proven = sorted((part.figures for part in found), key=lambda each: each["positions"])
    engines = {str(each["engine_version"]) for each in proven}
    processors = {str(part.made.machine.get("processor", "")) for part in found}
    rows = [
        f"{each['board']} | {each['score']} | {each['positions']:,} | {each['file_bytes']:,} | "
        f"{each['make_seconds']:.1f} s | {each['make_mb']:,.0f} MB | "
        f"{each['check_seconds']:.1f} s | {each['python_seconds']:.1f} s"
        for each in proven
    ]
    machine = f"\nEngine {', '.join(sorted(engines))}; {', '.join(sorted(processors))}.\n"
    return {"boards": f"\n{table(HEADINGS, rows)}\n", "machine": machine}


def _make(path: Path, board: str) -> Usage:
    return run_c4(
        *("prove", "", f"--board={board}", "--threads=1", "--table-mb=64"),
        *(f"--output={path}", f"--db=sqlite:///{path}.db", "--quiet"),
    )
