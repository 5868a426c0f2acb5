"""The bytes of a certificate, as docs/certificate-format.md specifies them.

:func:`pack` writes a file and :func:`unpack` reads one. Both treat the proof itself as bytes, the
*code* of each half, which :mod:`c4core.proof.walk` writes and reads.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.errors import (
    BoardError,
    CertificateDamagedError,
    CertificateForeignError,
    KeyValueError,
)
from c4core.notation import check_board, check_narrow
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize
    from c4core.position import Side

MAGIC: Final = b"\x89C4proof"
FORMAT_VERSION: Final = 1
LARGEST_SCORE: Final = 32
"""A limit above every score: a winner has at least four stones, on at most 64 squares."""

RULES: Final = (
    "stones",
    "follow-up",
    "turned column",
    "horizon",
    "one odd column",
    "no flat four",
)
"""The names of the rules; the index is the rule's number in the file (c4core/proof/rules.pxd)."""

EVERY_RULE: Final = (1 << len(RULES)) - 1
"""All rules, as a set of bits."""

REPLIES: Final = 255
"""The stored value of a position that no rule ends: all replies follow."""

MOST_POSITIONS: Final = 1 << 24
MOST_PER_BYTE: Final = 256
"""A half has at most the first number of positions, and the second number more for each byte of its
code. Forced moves take no bits, so without a limit a file of a kilobyte could take hours to check.
Proofs for boards of at least 4 columns have at most 41 positions a byte."""

_HEADER: Final = struct.Struct("<8sHBBBBHQIIQ")
_HALF: Final = struct.Struct("<BbHIQ")
_COUNT: Final = struct.Struct("<I")
HEADER_BYTES: Final = _HEADER.size
_CHECKSUM: Final = hashlib.sha256().digest_size


@dataclass(frozen=True, slots=True)
class HalfInfo:
    """The header of one half: the proof of one bound."""

    upper: bool
    """Whether the score is at most ``bound``; otherwise it is at least ``bound``."""
    bound: int
    """The bound for the side to move at the start."""
    plies: tuple[int, ...]
    """The number of positions of every ply, from the start on."""
    code_bytes: int
    """The length of the half's code."""

    @property
    def positions(self) -> int:
        """The number of positions; two mirror images count as one."""
        return sum(self.plies)


@dataclass(frozen=True, slots=True)
class CertificateInfo:
    """The header of a certificate: its claim and its size."""

    start: Position
    """The canonical image of the claim's position."""
    rules: int
    """The rules that may end a branch, as a set of bits."""
    halves: tuple[HalfInfo, ...]
    """One half for each bound; the lower bound comes first."""
    engine_version: int
    file_bytes: int

    @property
    def board(self) -> BoardSize:
        """The board of the start."""
        return self.start.board

    @property
    def lower(self) -> int | None:
        """The lower bound for the side to move at the start; None if none is claimed."""
        return next((half.bound for half in self.halves if not half.upper), None)

    @property
    def upper(self) -> int | None:
        """The upper bound for the side to move at the start; None if none is claimed."""
        return next((half.bound for half in self.halves if half.upper), None)

    def prover(self, *, upper: bool) -> Side:
        """The side that proves the upper or the lower bound."""
        return "x" if (self.start.turn == "x") != upper else "o"

    @property
    def positions(self) -> int:
        return sum(half.positions for half in self.halves)


def pack(
    start: Position,
    rules: int,
    halves: Sequence[tuple[HalfInfo, bytes]],
    *,
    engine_version: int,
) -> bytes:
    """The bytes of a file."""
    directory = b"".join(
        _HALF.pack(half.upper, half.bound, len(half.plies), len(code), half.positions)
        + b"".join(map(_COUNT.pack, half.plies))
        for half, code in halves
    )
    codes = b"".join(code for _, code in halves)
    header = _HEADER.pack(
        MAGIC,
        FORMAT_VERSION,
        start.width,
        start.height,
        start.ply,
        len(halves),
        rules,
        start.canonical_key,
        engine_version,
        0,
        _HEADER.size + len(directory) + len(codes) + _CHECKSUM,
    )
    content = header + directory + codes
    return content + hashlib.sha256(content).digest()


def check_header(header: bytes, file_bytes: int) -> None:
    """Check the first bytes of a file before the rest is read."""
    if not header.startswith(MAGIC):
        raise CertificateForeignError("not a certificate: its first bytes are wrong")
    if file_bytes < _HEADER.size + _CHECKSUM:
        raise CertificateDamagedError("damaged: the file ends before its header does")
    _, version, *_, length = _HEADER.unpack_from(header)
    if version != FORMAT_VERSION:
        raise CertificateForeignError(
            f"a certificate of format {version}; this program reads {FORMAT_VERSION}"
        )
    if length != file_bytes:
        raise CertificateDamagedError(
            f"damaged: the file is {file_bytes:,} bytes long, but its header states {length:,}"
        )


def unpack(data: bytes) -> tuple[CertificateInfo, tuple[bytes, ...]]:
    """The header of a file, and the code of each half."""
    check_header(data, len(data))
    _, _, width, height, ply, count, rules, key, engine, zero, length = _HEADER.unpack_from(data)
    if hashlib.sha256(data[:-_CHECKSUM]).digest() != data[-_CHECKSUM:]:
        raise CertificateDamagedError("damaged: the checksum is wrong")
    start = _start(width, height, key)
    if start.ply != ply or start.canonical_key != key or start.is_over:
        raise CertificateDamagedError(
            "wrong: its start is not a canonical position, or the game is over there"
        )
    if zero or rules & ~EVERY_RULE:
        raise CertificateDamagedError("wrong: it names rules that do not exist")
    halves, offset = _directory(data, start, count)
    codes = []
    for half in halves:
        codes.append(data[offset : offset + half.code_bytes])
        offset += half.code_bytes
    if offset + _CHECKSUM != length:
        raise CertificateDamagedError("wrong: its parts are not as long as the file")
    return CertificateInfo(start, rules, halves, engine, length), tuple(codes)


def _start(width: int, height: int, key: int) -> Position:
    try:
        board = check_narrow(check_board(width, height), "certificates")
        return Position.from_key(key, board=board)
    except (BoardError, KeyValueError) as error:
        raise CertificateDamagedError(f"wrong: its start is not a position: {error}") from None


def _directory(data: bytes, start: Position, count: int) -> tuple[tuple[HalfInfo, ...], int]:
    """The headers of the halves, and the offset of the first code."""
    offset = _HEADER.size
    halves: list[HalfInfo] = []
    for _ in range(count):
        if offset + _HALF.size > len(data) - _CHECKSUM:
            raise CertificateDamagedError("wrong: its list of halves is longer than the file")
        upper, bound, plies, code_bytes, positions = _HALF.unpack_from(data, offset)
        offset += _HALF.size
        end = offset + _COUNT.size * plies
        if plies > start.board.cells - start.ply or end > len(data) - _CHECKSUM:
            raise CertificateDamagedError("wrong: a half has more plies than the board")
        counts = tuple(each for (each,) in _COUNT.iter_unpack(data[offset:end]))
        offset = end
        half = HalfInfo(bool(upper), bound, counts, code_bytes)
        if upper > 1 or abs(bound) > LARGEST_SCORE or half.positions != positions or 0 in counts:
            raise CertificateDamagedError("wrong: a half's numbers do not fit together")
        most = MOST_POSITIONS + MOST_PER_BYTE * code_bytes
        if positions > most:
            raise CertificateDamagedError(
                f"refused: a half states {positions:,} positions, but one of its size may have "
                f"{most:,} at most"
            )
        halves.append(half)
    if [half.upper for half in halves] not in ([False], [True], [False, True]):
        raise CertificateDamagedError("wrong: it must have one bound, or a lower and an upper one")
    return tuple(halves), offset
