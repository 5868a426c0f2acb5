"""Small books: complete books of small boards, made without search."""

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from c4core.arrays import open_plies
from c4core.book.build import derive
from c4core.book.layout import (
    DIGEST_BYTES,
    ENTRY,
    pack_header,
    read_header,
)
from c4core.book.storage import GROUP
from c4core.book.writer import write_book
from c4core.notation import BoardLike
from c4core.position import Position
from c4core.solver import Solver

Level = tuple[NDArray[np.uint64], NDArray[np.int8]]

NOTHING: Level = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int8)


def derived_levels(levels: list[NDArray[np.uint64]], below: Level, start: Position) -> list[Level]:
    """The scores of some plies, derived from the ply after them."""
    result = []
    for keys in reversed(levels):
        below = keys, derive(keys, *below, start.board)
        result.append(below)
    return result[::-1]


def whole_game(start: Position) -> list[Level]:
    """Every position from the start to the last square, with its score."""
    return [(keys.copy(), scores.copy()) for keys, scores in _whole_game(start)]


@cache
def _whole_game(start: Position) -> list[Level]:
    return derived_levels(list(open_plies(start)), NOTHING, start)


def opening(start: Position, last: int) -> list[Level]:
    """Every position from the start to a ply; the positions of the last ply are solved."""
    *levels, deepest = islice(open_plies(start), last - start.ply + 1)
    found = Solver(table_mb=1).solve_many(deepest, board=start.board)
    return [*derived_levels(levels, (deepest, found.lower), start), (deepest, found.lower)]


def opening_book(path: Path, *, board: BoardLike, last: int) -> None:
    """Write a complete book of a board from the empty position to a ply."""
    start = Position(board=board)
    write_book(path, opening(start, last), board=start.board)


def small_book(path: Path, *, board: BoardLike = "5x4") -> list[Level]:
    """Write a book of a complete small board; return its contents."""
    start = Position(board=board)
    path.write_bytes(_small_book(start))
    return whole_game(start)


@cache
def _small_book(start: Position) -> bytes:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "small.c4book"
        write_book(path, whole_game(start), board=start.board)
        return path.read_bytes()


def resealed(data: bytes) -> bytes:
    """Recompute the CRCs of a book with arbitrary groups and indexes; the header is readable."""
    info = read_header(data, "a book", file_bytes=len(data))
    book = bytearray(data)
    sections = []
    for section in info.plies:
        groups = -(-section.count // GROUP)
        begin = section.offset + groups * ENTRY.size
        for at in range(section.offset, begin, ENTRY.size):
            length, _ = ENTRY.unpack_from(book, at)
            checksum = zlib.crc32(book[begin : begin + length])
            struct.pack_into("<I", book, at + ENTRY.size - 4, checksum)
            begin += length
        index = book[section.offset : section.offset + groups * ENTRY.size]
        sections.append(replace(section, index_checksum=zlib.crc32(index)))
    header = pack_header(replace(info, plies=tuple(sections)))
    return header + bytes(book[len(header) :])


def regrouped(data: bytes, ply: int, change: Callable[[bytearray], None]) -> bytes:
    """Change the unpacked bytes of a ply that has one group, and pack them again."""
    info = read_header(data, "a book", file_bytes=len(data))
    sections, parts = [], []
    offset = info.plies[0].offset
    for section in info.plies:
        index = data[section.offset :][: ENTRY.size * -(-section.count // GROUP)]
        groups = data[section.offset + len(index) : section.offset + section.length]
        if section.ply == ply:
            plain = bytearray(zlib.decompress(groups))
            change(plain)
            groups = zlib.compress(plain)
            index = ENTRY.pack(len(groups), zlib.crc32(groups))
        length = len(index) + len(groups)
        checksum = zlib.crc32(index)
        sections.append(replace(section, offset=offset, length=length, index_checksum=checksum))
        parts += [index, groups]
        offset += length
    header = pack_header(replace(info, plies=tuple(sections)))
    return b"".join([header, *parts, bytes(DIGEST_BYTES)])
