"""The header of a book file, with the directory of plies (docs/book-format.md)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final, NamedTuple, NoReturn

from c4core.errors import (
    BoardError,
    BookDamagedError,
    BookForeignError,
    BookTruncatedError,
    BookVersionError,
)
from c4core.notation import BoardSize, check_board, check_narrow

FORMAT_VERSION: Final = 1
MAGIC: Final = b"\x89C4book\n"
"""The first byte is not ASCII, the last is a line feed: text conversions are detected."""

DIGEST_BYTES: Final = 32

_HEADER: Final = struct.Struct("<8sHBBBIQQ")
_PLY: Final = struct.Struct("<QQQI")
_CHECKSUM: Final = struct.Struct("<I")

ENTRY: Final = struct.Struct("<II")
"""A group in the index of a ply: its length and CRC-32."""

_EXPANSION: Final = 1032
"""Deflate makes at most this many bytes of one."""

LONGEST_HEADER: Final = _HEADER.size + 255 * _PLY.size + _CHECKSUM.size
"""The largest number of bytes that :func:`read_header` needs."""


@dataclass(frozen=True, slots=True)
class PlySection:
    """The section of one ply: its place in the file and its contents."""

    ply: int
    count: int
    """Number of slots."""
    positions: int
    offset: int
    """The offset of the section's first byte in the file."""
    length: int
    index_checksum: int


@dataclass(frozen=True, slots=True)
class BookInfo:
    """The content of a book's header."""

    board: BoardSize
    plies: tuple[PlySection, ...]
    """The sections of the plies, from the empty board on."""
    engine_version: int
    format_version: int = FORMAT_VERSION

    @property
    def last_ply(self) -> int:
        """The largest number of stones of a position."""
        return len(self.plies) - 1

    @property
    def positions(self) -> int:
        """Number of positions in all plies."""
        return sum(section.positions for section in self.plies)

    @property
    def file_bytes(self) -> int:
        """Number of bytes of the complete file."""
        return self.plies[-1].offset + self.plies[-1].length + DIGEST_BYTES


class _Header(NamedTuple):
    """The fields of the header's fixed part, in order."""

    magic: bytes
    version: int
    width: int
    height: int
    plies: int
    engine_version: int
    positions: int
    file_length: int


def header_length(plies: int) -> int:
    """Return the number of bytes before the first section."""
    return _HEADER.size + plies * _PLY.size + _CHECKSUM.size


def pack_header(info: BookInfo) -> bytes:
    """Return the bytes before the first section."""
    packed = _HEADER.pack(
        MAGIC,
        info.format_version,
        info.board.width,
        info.board.height,
        len(info.plies),
        info.engine_version,
        info.positions,
        info.file_bytes,
    )
    for section in info.plies:
        packed += _PLY.pack(
            section.count,
            section.positions,
            section.length,
            section.index_checksum,
        )
    return packed + _CHECKSUM.pack(zlib.crc32(packed))


def read_header(data: bytes | memoryview, path: str, *, file_bytes: int) -> BookInfo:
    """Read the header of a file from its first ``LONGEST_HEADER`` bytes, or fewer if it is shorter.

    ``path`` is for messages; ``file_bytes`` is the length of the file.
    """
    return _HeaderReader(data, path, file_bytes).read()


class _HeaderReader:
    """Reads and checks the header of a file."""

    def __init__(self, data: bytes | memoryview, path: str, file_bytes: int) -> None:
        self.data, self.path, self.file_bytes = data, path, file_bytes

    def read(self) -> BookInfo:
        self.check_kind_of_file()
        header = _Header._make(_HEADER.unpack_from(self.data))
        end = self.check_whole(header)
        try:
            board = check_narrow(check_board(header.width, header.height), "books")
        except BoardError as error:
            self.refuse(f"the header's board is wrong: {error}", _HEADER.size)
        if not 1 <= header.plies <= board.cells:
            self.refuse("the header's plies are impossible", _HEADER.size)
        sections = self.read_sections(header, end)
        info = BookInfo(board, sections, header.engine_version, header.version)
        if info.file_bytes != header.file_length or info.positions != header.positions:
            self.refuse("the header's totals do not match its plies", end)
        return info

    def refuse(self, what: str, offset: int) -> NoReturn:
        raise BookDamagedError(f"{self.path}: the book is damaged: {what} (byte {offset})")

    def need(self, length: int, what: str = "at least ") -> None:
        if self.file_bytes < length:
            raise BookTruncatedError(
                f"{self.path}: the book is cut off: "
                f"it has {self.file_bytes} of {what}{length} bytes"
            )

    def check_kind_of_file(self) -> None:
        """Check magic and version, which are at the same place in every version of the format."""
        if not MAGIC.startswith(self.data[: len(MAGIC)]):
            raise BookForeignError(f"{self.path}: this is not an opening book of C4")
        self.need(_HEADER.size)
        version = _HEADER.unpack_from(self.data)[1]
        if version > FORMAT_VERSION:
            raise BookVersionError(
                f"{self.path}: the book has format version {version}, this program reads up to "
                f"{FORMAT_VERSION}: install a newer c4"
            )

    def check_whole(self, header: _Header) -> int:
        """Check the header's checksum and the file's length. Return the offset of the sections."""
        end = _HEADER.size + header.plies * _PLY.size
        self.need(end + _CHECKSUM.size)
        if zlib.crc32(self.data[:end]) != _CHECKSUM.unpack_from(self.data, end)[0]:
            self.refuse("the header does not match its checksum", end)
        self.need(header.file_length, "")
        if self.file_bytes > header.file_length:
            after = self.file_bytes - header.file_length
            self.refuse(f"{after} bytes follow its end", header.file_length)
        # The header is as it was written, so the remaining faults are the writer's.
        if header.version < 1:
            self.refuse("the header's version is impossible", len(MAGIC))
        return end + _CHECKSUM.size

    def read_sections(self, header: _Header, offset: int) -> tuple[PlySection, ...]:
        """Read the directory; the sections follow each other without gaps."""
        sections = []
        for ply in range(header.plies):
            count, positions, length, checksum = _PLY.unpack_from(
                self.data, _HEADER.size + ply * _PLY.size
            )
            section = PlySection(ply, count, positions, offset, length, checksum)
            if not positions <= count <= _EXPANSION * length:
                self.refuse(f"ply {ply} cannot have its number of positions", offset)
            offset += section.length
            sections.append(section)
        return tuple(sections)
