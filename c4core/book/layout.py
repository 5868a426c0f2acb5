"""The header of a book file, with the directory of plies (docs/book-format.md)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, NoReturn

from c4core.errors import (
    BookDamagedError,
    BookForeignError,
    BookTruncatedError,
    BookVersionError,
    C4Error,
)
from c4core.position import Position

if TYPE_CHECKING:
    from c4core.notation import BoardSize

Kind = Literal["complete", "sparse"]

FORMAT_VERSION: Final = 1
MAGIC: Final = b"\x89C4book\n"
"""The first byte is not ASCII, the last is a line feed: text conversions are detected."""

DIGEST_BYTES: Final = 32
MAX_DESCRIPTION: Final = 1000

KINDS: Final[tuple[Kind, ...]] = ("complete", "sparse")
"""The kinds of books; the header stores the index in this tuple, plus one."""

_HEADER: Final = struct.Struct("<8sHHBBBBQIIQQ")
_PLY: Final = struct.Struct("<QQQI")
_CHECKSUM: Final = struct.Struct("<I")

COMPLETE_ENTRY: Final = struct.Struct("<II")
"""A group in the index of a complete book's ply: its length and CRC-32."""
SPARSE_ENTRY: Final = struct.Struct("<QII")
"""A group in the index of a sparse book's ply: its first slot, length and CRC-32."""

_EXPANSION: Final = 1032
"""Deflate makes at most this many bytes of one."""

LONGEST_HEADER: Final = _HEADER.size + MAX_DESCRIPTION + 255 * _PLY.size + _CHECKSUM.size
"""The largest number of bytes that :func:`read_header` needs."""


@dataclass(frozen=True, slots=True)
class PlySection:
    """The section of one ply: its place in the file and its contents."""

    ply: int
    count: int
    """Number of slots in a complete book, or of positions in a sparse book."""
    positions: int
    offset: int
    """The offset of the section's first byte in the file."""
    length: int
    index_checksum: int


@dataclass(frozen=True, slots=True)
class BookInfo:
    """The content of a book's header."""

    kind: Kind
    """``complete``: every position that play can reach; ``sparse``: chosen positions."""
    start: Position
    plies: tuple[PlySection, ...]
    """The sections of the plies, the start's first."""
    engine_version: int
    description: str = ""
    """The rule by which the positions of a sparse book were chosen."""
    format_version: int = FORMAT_VERSION

    @property
    def board(self) -> BoardSize:
        return self.start.board

    @property
    def first_ply(self) -> int:
        """The smallest number of stones of a position."""
        return self.start.ply

    @property
    def last_ply(self) -> int:
        """The largest number of stones of a position."""
        return self.start.ply + len(self.plies) - 1

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
    kind: int
    width: int
    height: int
    first_ply: int
    plies: int
    start: int
    engine_version: int
    text_length: int
    positions: int
    file_length: int


def header_length(plies: int, description: str) -> int:
    """Return the number of bytes before the first section."""
    return _HEADER.size + len(description.encode()) + plies * _PLY.size + _CHECKSUM.size


def pack_header(info: BookInfo) -> bytes:
    """Return the bytes before the first section."""
    text = info.description.encode()
    packed = _HEADER.pack(
        MAGIC,
        info.format_version,
        KINDS.index(info.kind) + 1,
        info.board.width,
        info.board.height,
        info.first_ply,
        len(info.plies),
        info.start.key,
        info.engine_version,
        len(text),
        info.positions,
        info.file_bytes,
    )
    packed += text
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
        start, description = self.read_start(header)
        if header.first_ply != start.ply or start.ply + header.plies > start.board.cells:
            self.refuse("the header's plies are impossible", _HEADER.size)
        sections = self.read_sections(header, start.ply, end)
        info = BookInfo(
            KINDS[header.kind - 1],
            start,
            sections,
            header.engine_version,
            description,
            header.version,
        )
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
        end = _HEADER.size + header.text_length + header.plies * _PLY.size
        # The lengths cannot be trusted before the checksum is verified.
        if header.text_length > MAX_DESCRIPTION:
            self.refuse("the header's lengths are impossible", _HEADER.size)
        self.need(end + _CHECKSUM.size)
        if zlib.crc32(self.data[:end]) != _CHECKSUM.unpack_from(self.data, end)[0]:
            self.refuse("the header does not match its checksum", end)
        self.need(header.file_length, "")
        if self.file_bytes > header.file_length:
            after = self.file_bytes - header.file_length
            self.refuse(f"{after} bytes follow its end", header.file_length)
        # The header is as it was written, so the remaining faults are the writer's.
        if header.version < 1 or not 1 <= header.kind <= len(KINDS) or not header.plies:
            self.refuse("the header's version, kind or number of plies is impossible", len(MAGIC))
        return end + _CHECKSUM.size

    def read_start(self, header: _Header) -> tuple[Position, str]:
        """Read the start, and the description that follows the header's fixed part."""
        text = bytes(self.data[_HEADER.size : _HEADER.size + header.text_length])
        try:
            start = Position.from_key(header.start, width=header.width, height=header.height)
            description = text.decode()
        except (C4Error, UnicodeDecodeError) as error:
            self.refuse(f"the header's start or description is wrong: {error}", _HEADER.size)
        if start.is_over:
            self.refuse("the header's start is over", _HEADER.size)
        return start, description

    def read_sections(self, header: _Header, first_ply: int, offset: int) -> tuple[PlySection, ...]:
        """Read the directory; the sections follow each other without gaps."""
        sections = []
        for index in range(header.plies):
            count, positions, length, checksum = _PLY.unpack_from(
                self.data, _HEADER.size + header.text_length + index * _PLY.size
            )
            section = PlySection(first_ply + index, count, positions, offset, length, checksum)
            # Slots of a complete book may be unused.
            least = section.count if KINDS[header.kind - 1] == "sparse" else 0
            if not least <= positions <= count <= _EXPANSION * length:
                self.refuse(f"ply {section.ply} cannot have its number of positions", offset)
            offset += section.length
            sections.append(section)
        return tuple(sections)
