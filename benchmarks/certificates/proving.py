"""Measuring a certificate: ``c4 prove``, ``c4 certificate verify``, and the independent checker."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import commands
from benchmarks.record import this_processor
from c4core.proof import Certificate
from tests.support.certificates import CHECKER

if TYPE_CHECKING:
    from benchmarks.commands import Usage


@dataclass(frozen=True, slots=True)
class Claim:
    """A position whose exact score is proven."""

    board: str
    moves: str = ""
    """1-based columns."""
    rules: str = "all"
    """As for ``c4 prove --rules``."""
    table_mb: int = 64

    def make(self, path: Path) -> Usage:
        """Make the certificate with one thread, in an empty database beside it.

        Raises:
            click.ClickException: the command failed.
        """
        words = ["prove", self.moves, f"--board={self.board}", f"--rules={self.rules}"]
        words += ["--threads=1", f"--table-mb={self.table_mb}", f"--out={path}"]
        return commands.run([*words, f"--db=sqlite:///{path}.db", "--quiet"])


@dataclass(frozen=True, slots=True)
class Proven:
    """A certificate that both checkers took for a proof, and what it cost.

    Seconds are of processor time, from the start of a process to its end.
    """

    board: str
    moves: str
    rules: str
    table_mb: int
    score: int
    """For the side to move at the start."""
    positions: int
    """Of both halves, without mirror images."""
    file_bytes: int
    make_seconds: float
    make_mb: float
    """The largest memory of the process; so below."""
    check_seconds: float
    check_mb: float
    python_seconds: float | None
    """Of the checker in pure Python; None if it was not asked."""
    python_mb: float | None
    engine_version: int
    processor: str
    digest: str
    """The last 16 hexadecimal digits of the file; equal files have equal ones."""


def measure(claim: Claim, *, python: bool = True) -> Proven:
    """Make a certificate and let both checkers look at it.

    Args:
        claim: what is proven.
        python: whether the checker in pure Python looks at it, too.

    Raises:
        click.ClickException: a command failed, or a checker refused the file.
    """
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.c4proof"
        made = claim.make(path)
        checked = commands.run(["certificate", "verify", str(path)], silent=True)
        again = _checked_in_python(path) if python else None
        data = path.read_bytes()
    said = Certificate(data).info
    assert said.lower is not None  # noqa: S101  (both bounds are asked for)
    return Proven(
        board=claim.board,
        moves=claim.moves,
        rules=claim.rules,
        table_mb=claim.table_mb,
        score=said.lower,
        positions=said.positions,
        file_bytes=said.file_bytes,
        make_seconds=made.processor_seconds,
        make_mb=made.peak_mb,
        check_seconds=checked.processor_seconds,
        check_mb=checked.peak_mb,
        python_seconds=None if again is None else again.processor_seconds,
        python_mb=None if again is None else again.peak_mb,
        engine_version=said.engine_version,
        processor=this_processor(),
        digest=data[-8:].hex(),
    )


def _checked_in_python(path: Path) -> Usage:
    command = [sys.executable, str(CHECKER), str(path)]
    return commands.run_program(command, name=CHECKER.name, silent=True)
