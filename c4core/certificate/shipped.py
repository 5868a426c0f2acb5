"""The certificates that are shipped with this package: exact scores of empty boards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from c4core.certificate.errors import CertificateMissingError
from c4core.notation import BoardSize

BOARDS: Final = (BoardSize(5, 4), BoardSize(6, 5), BoardSize(7, 6))
"""The boards that have one. ``python -m benchmarks certificates shipped`` makes their files."""

_DIRECTORY: Final = Path(__file__).parents[1] / "data"


def shipped_file(board: BoardSize) -> Path:
    """Where the certificate of a board's empty position is, if it has one."""
    return _DIRECTORY / f"c4-{board}.c4proof"


def named_file(name: str) -> Path:
    """The file of a name: a board's size, such as ``7x6``, or a path.

    Raises:
        CertificateMissingError: no certificate of this board is shipped.
    """
    match = re.fullmatch(r"([0-9]{1,2})x([0-9]{1,2})", name)
    if match is None:
        return Path(name)
    path = shipped_file(BoardSize(int(match[1]), int(match[2])))
    if not path.is_file():
        there = ", ".join(str(board) for board in BOARDS if shipped_file(board).is_file())
        raise CertificateMissingError(
            f"no certificate of {name} is shipped (there are: {there or 'none'}); "
            f"./{name} is a file of this name"
        )
    return path
