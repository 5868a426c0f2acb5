"""Small books: complete books of small boards, made without search."""

import struct
import zlib
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from c4core.arrays import open_plies
from c4core.book.build import derive
from c4core.book.layout import Kind, pack_header, read_header
from c4core.book.writer import write_book
from c4core.position import Position
from c4core.solver import Solver

Level = tuple[NDArray[np.uint64], NDArray[np.int8]]

NOTHING: Level = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int8)


def derived_levels(levels: list[NDArray[np.uint64]], below: Level, start: Position) -> list[Level]:
    """The scores of some plies, derived from the ply after them."""
    result = []
    for keys in reversed(levels):
        below = keys, derive(keys, *below, width=start.width, height=start.height)
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
    found = Solver(table_mb=1).solve_many(deepest, width=start.width, height=start.height)
    return [*derived_levels(levels, (deepest, found.lower), start), (deepest, found.lower)]


def opening_book(path: Path, *, width: int, height: int, last: int) -> None:
    """Write a complete book of a board from the empty position to a ply."""
    start = Position(width=width, height=height)
    write_book(path, opening(start, last), start=start)


def thinned(levels: list[Level], share: float, seed: int = 1) -> list[Level]:
    """A random sample of the positions that always includes the first one."""
    chance = np.random.default_rng(seed)
    result = []
    for keys, scores in levels:
        chosen = chance.random(len(keys)) < share
        chosen[:1] = True
        result.append((keys[chosen], scores[chosen]))
    return result


def small_book(
    path: Path, *, moves: str = "", width: int = 5, height: int = 4, kind: Kind = "complete"
) -> list[Level]:
    """Write a book of a complete small board; return its contents."""
    start = Position(moves, width=width, height=height)
    path.write_bytes(_small_book(start, kind))
    return _contents(start, kind)


@cache
def _small_book(start: Position, kind: Kind) -> bytes:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "small.c4book"
        write_book(path, _contents(start, kind), start=start, kind=kind)
        return path.read_bytes()


def _contents(start: Position, kind: Kind) -> list[Level]:
    levels = whole_game(start)
    return thinned(levels, 0.2) if kind == "sparse" else levels


def resealed(data: bytes) -> bytes:
    """Recompute the CRCs of a book with arbitrary groups and indexes.

    The header must be readable; offsets of groups may point anywhere.
    """
    info = read_header(data, "a book", file_bytes=len(data))
    entry = 12 if info.kind == "complete" else 20
    book = bytearray(data)
    sections = []
    for section in info.plies:
        begin, end = section.offset, section.offset + section.length
        groups = -(-section.count // 8192)
        for at in range(
            begin + section.index_length - groups * entry, begin + section.index_length, entry
        ):
            offset = at + entry - 12
            group_begin, group_end = begin + struct.unpack_from("<Q", book, offset)[0], end
            if at + entry < begin + section.index_length:
                group_end = begin + struct.unpack_from("<Q", book, offset + entry)[0]
            struct.pack_into("<I", book, offset + 8, zlib.crc32(book[group_begin:group_end]))
        index = book[begin : begin + section.index_length]
        sections.append(replace(section, index_checksum=zlib.crc32(index)))
    header = pack_header(replace(info, plies=tuple(sections)))
    return header + bytes(book[len(header) :])
